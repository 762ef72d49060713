#!/bin/sh
# Answers and leaves a program running that holds its output open.
cat >/dev/null
sleep 600 &
echo 'answered at once' >&2
exit 2
