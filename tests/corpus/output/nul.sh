#!/bin/sh
# Prints NUL bytes, on both streams.
cat >/dev/null
printf 'a\000b'
printf 'no\000pe\n' >&2
exit 2
