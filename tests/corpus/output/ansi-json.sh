#!/bin/sh
# Denies in JSON that a library has coloured.
cat >/dev/null
printf '\033[32m%s\033[0m\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
