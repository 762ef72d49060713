#!/bin/sh
# Keeps a tool's output from the model.
cat >/dev/null
echo '{"decision":"deny","reason":"the output holds a secret"}'
