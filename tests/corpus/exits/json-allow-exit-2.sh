#!/bin/sh
# Allows in JSON and ends with 2; the exit code wins.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
echo 'refused by the exit code' >&2
exit 2
