#!/bin/sh
# Writes a decision with a capital letter, which no schema knows.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny","permissionDecisionReason":"no"}}'
