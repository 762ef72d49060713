#!/bin/sh
# Lets a person decide about sudo.
grep -q 'sudo ' || exit 0
printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"This runs as root"}}'
