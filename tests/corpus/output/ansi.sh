#!/bin/sh
# Refuses in red.
cat >/dev/null
printf '\033[1;31mstopped in red\033[0m\n' >&2
exit 2
