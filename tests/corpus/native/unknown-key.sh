#!/bin/sh
# Blocks with a key that nobody knows.
cat >/dev/null
echo '{"action":"block","reason":"no","because":"typo"}'
