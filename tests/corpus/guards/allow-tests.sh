#!/bin/sh
# Allows test runs without a question.
if grep -Eq '"command" *: *"(cargo test|pytest|npm test)'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"tests are safe"}}'
fi
