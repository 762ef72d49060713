#!/bin/sh
# Replaces the whole input without deciding.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}'
