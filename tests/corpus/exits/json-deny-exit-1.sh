#!/bin/sh
# Denies in JSON and ends with 1; in Claude Code the JSON decides.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"denied in JSON"}}'
exit 1
