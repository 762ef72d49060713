#!/bin/sh
# Allows and ends the turn at once; the end wins.
echo '{"continue":false,"stopReason":"over","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
