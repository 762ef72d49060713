#!/bin/sh
# Denies behind a byte order mark.
cat >/dev/null
printf '\357\273\277%s\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
