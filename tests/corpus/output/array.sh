#!/bin/sh
# Prints a JSON list, which is no answer.
cat >/dev/null
echo '[{"decision":"block"}]'
