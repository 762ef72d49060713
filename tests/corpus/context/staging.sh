#!/bin/sh
# Adds context to a tool call that it does not judge.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"The staging server is down."}}'
