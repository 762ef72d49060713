#!/bin/sh
# Refuses with its reason on the wrong stream.
cat >/dev/null
echo 'not like this'
exit 2
