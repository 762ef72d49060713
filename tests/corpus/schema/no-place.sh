#!/bin/sh
# Gives event output to an event that takes none.
echo '{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"keep the plan"}}'
