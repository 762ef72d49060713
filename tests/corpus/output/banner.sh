#!/bin/sh
# Denies behind a banner that a tool prints first.
cat >/dev/null
echo 'checker 1.4.2 (offline)'
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
