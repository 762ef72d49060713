#!/bin/sh
# Refuses with a reason.
cat >/dev/null
echo 'not like this' >&2
exit 2
