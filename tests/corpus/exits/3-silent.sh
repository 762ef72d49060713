#!/bin/sh
# Ends with a code that means nothing in most systems, without a word.
cat >/dev/null
exit 3
