#!/bin/sh
# Prints two answers.
cat >/dev/null
echo '{"systemMessage":"first"}'
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
