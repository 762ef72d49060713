#!/bin/sh
# Denies on the wrong stream.
cat >/dev/null
echo '{"decision":"deny","reason":"on standard error"}' >&2
