#!/bin/sh
# Prints a word in quotes.
cat >/dev/null
echo '"block"'
