#!/bin/sh
# Answers in a version that does not exist yet.
cat >/dev/null
echo '{"hookweave":2,"action":"block","reason":"from the future"}'
