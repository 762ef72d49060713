#!/bin/sh
# Gives a subagent its rules.
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Answer in one paragraph."}}'
