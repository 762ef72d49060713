#!/bin/sh
# Refuses in bytes that are no UTF-8.
cat >/dev/null
printf 'caf\351 closed\n' >&2
exit 2
