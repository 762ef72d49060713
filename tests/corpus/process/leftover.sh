#!/bin/sh
# Answers and leaves a program running that would write a file.
cat >/dev/null
(sleep "${1:-0.9}"; echo alive >leftover.txt) >/dev/null 2>&1 &
echo 'left something behind' >&2
exit 2
