#!/bin/sh
# PreToolUse, only for `git push` (the rule `Bash(git push *)` in settings.json): a person decides.
cat > /dev/null
cat <<'JSON'
{
  "hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "ask",
    "permissionDecisionReason": "Publish these commits?"
  }
}
JSON
