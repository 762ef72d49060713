#!/bin/sh
# Denies and then goes on talking.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
echo 'done in 0.1 s'
