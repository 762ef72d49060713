#!/bin/sh
# Keeps the agent working until the tests are green.
cat >/dev/null
if [ ! -e green ]; then
  echo '{"decision":"block","reason":"The tests are not green yet"}'
fi
