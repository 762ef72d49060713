#!/bin/sh
# Names another event than the one it answers.
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"late"}}'
