#!/bin/sh
# Prints an empty object.
cat >/dev/null
echo '{}'
