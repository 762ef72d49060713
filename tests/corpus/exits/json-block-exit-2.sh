#!/bin/sh
# Refuses twice; the reason in JSON is the one that counts.
cat >/dev/null
echo '{"decision":"block","reason":"the reason in JSON"}'
echo 'the reason on standard error' >&2
exit 2
