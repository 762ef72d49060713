#!/bin/sh
# Blocks with an unknown key.
cat >/dev/null
echo '{"action":"block","reason":"no","because":"typo"}'
