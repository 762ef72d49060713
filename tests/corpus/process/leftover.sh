#!/bin/sh
# Answers and leaves a program running that writes a file once it may.
cat >/dev/null
(until test -e go || [ "$((n += 1))" -gt 600 ]; do sleep 0.1; done; echo alive >leftover.txt) >/dev/null 2>&1 &
echo 'left something behind' >&2
exit 2
