#!/bin/sh
# Fails with words on standard error.
cat >/dev/null
echo 'something broke' >&2
echo 'and more of it' >&2
exit 1
