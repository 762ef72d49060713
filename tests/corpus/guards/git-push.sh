#!/usr/bin/env bash
# Denies a forced push and any push to main, with a reason for the model, in JSON.
input=$(cat)
if [[ $input =~ git\ push.*(--force|-f\ ) || $input =~ git\ push.*\ main ]]; then
  cat <<'JSON'
{
  "hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "Push to a branch and open a pull request"
  }
}
JSON
fi
