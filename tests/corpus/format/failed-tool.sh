#!/bin/sh
# Helps the model after a tool failed, by exit code 2.
cat >/dev/null
echo 'try it with --verbose' >&2
exit 2
