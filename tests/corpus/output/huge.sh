#!/bin/sh
# Prints more than the limit, and then refuses.
cat >/dev/null
head -c 3000000 /dev/zero | tr '\000' 'x'
exit 2
