#!/bin/sh
# Is cut off in the middle of its answer.
cat >/dev/null
printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"den'
