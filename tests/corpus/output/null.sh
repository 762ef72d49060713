#!/bin/sh
# Prints null.
cat >/dev/null
echo null
