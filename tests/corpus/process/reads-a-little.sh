#!/bin/sh
# Reads the beginning of its input and refuses.
head -c 10 >/dev/null
echo 'read enough' >&2
exit 2
