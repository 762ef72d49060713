#!/bin/sh
# Ends with a code that means nothing in most systems.
cat >/dev/null
echo 'code three' >&2
exit 3
