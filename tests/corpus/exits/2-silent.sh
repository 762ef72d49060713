#!/bin/sh
# Refuses without a word.
cat >/dev/null
exit 2
