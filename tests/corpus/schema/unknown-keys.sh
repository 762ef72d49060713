#!/bin/sh
# Denies with keys that nobody knows.
echo '{"version":7,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","confidence":0.9}}'
