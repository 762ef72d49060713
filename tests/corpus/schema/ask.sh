#!/bin/sh
# Wants a person to decide.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"are you sure"}}'
