#!/bin/sh
# Forgets hookEventName, which makes the whole answer wrong for Claude Code.
echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}'
