#!/usr/bin/env bash
# Uses what only bash knows.
read -r line
declare -A seen=([rm]=1)
[[ -n ${seen[rm]} && $line == *rm* ]] && { echo "bash ${BASH_VERSION%%.*} says no" >&2; exit 2; }
exit 0
