#!/bin/sh
# Prints a word of refusal that is no answer.
cat >/dev/null
echo block
