#!/bin/sh
# Answers after a moment.
cat >/dev/null
sleep 0.1
echo 'after a moment' >&2
exit 2
