#!/bin/sh
# Prints more than the limit to standard error, and then refuses.
cat >/dev/null
head -c 3000000 /dev/zero | tr '\000' 'x' >&2
exit 2
