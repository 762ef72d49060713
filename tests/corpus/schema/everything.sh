#!/bin/sh
# Says all at once: context, message and decision.
echo '{"systemMessage":"look","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine","additionalContext":"mind the gap","updatedInput":{"command":"ls -a"}}}'
