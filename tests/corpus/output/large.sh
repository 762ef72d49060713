#!/bin/sh
# Refuses with a long reason that is still within bounds.
cat >/dev/null
head -c 100000 /dev/zero | tr '\000' 'x' >&2
exit 2
