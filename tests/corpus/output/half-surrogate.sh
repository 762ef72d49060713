#!/bin/sh
# Denies with half an emoji in its reason, as programs do that cut texts.
cat >/dev/null
printf '%s\n' '{"decision":"block","reason":"cut \ud83d"}'
