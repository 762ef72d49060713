#!/bin/sh
# Blocks in the engine's own words.
cat >/dev/null
echo '{"action":"block","reason":"hookweave no"}'
