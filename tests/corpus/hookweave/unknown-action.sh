#!/bin/sh
# Answers with an action that does not exist.
cat >/dev/null
echo '{"action":"wave"}'
