#!/bin/sh
# Leaves the decision to whoever runs the agent.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'
