#!/bin/sh
# Fails without a word.
cat >/dev/null
exit 1
