#!/bin/sh
# Denies with unknown keys.
echo '{"version":7,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","confidence":0.9}}'
