#!/bin/sh
# Names the session and tells the user something.
cat >/dev/null
echo '{"systemMessage":"Prompt noted","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"Refactoring"}}'
