#!/usr/bin/env bash
# Uses what only bash knows.
read -r line
words=(dd rm)
[[ ${words[1]} == rm && $line == *'"rm '* ]] && { echo "bash ${BASH_VERSION%%.*} says no" >&2; exit 2; }
exit 0
