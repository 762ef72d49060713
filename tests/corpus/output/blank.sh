#!/bin/sh
# Prints nothing but white space.
cat >/dev/null
printf '\n  \n\t\n'
