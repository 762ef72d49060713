#!/bin/sh
# Denies in JSON with bytes that are no UTF-8.
cat >/dev/null
printf '{"decision":"block","reason":"caf\351"}\n'
