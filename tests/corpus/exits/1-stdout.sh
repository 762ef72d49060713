#!/bin/sh
# Fails with words on standard output only.
cat >/dev/null
echo 'something broke'
exit 1
