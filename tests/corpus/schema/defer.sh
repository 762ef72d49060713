#!/bin/sh
# Leaves the decision to the agent's user.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'
