#!/bin/sh
# PreToolUse, Bash: refuses commands that destroy. Exit code 2 blocks, and stderr says why.
# A pattern over raw JSON is a seat belt, not a vault: when unsure, it refuses.
if grep -Eq 'rm +-[a-zA-Z]*[rf][a-zA-Z]* +(/|~)|mkfs|:\(\) *\{|\| *(sudo +)?(ba)?sh\b'; then
  echo "this command destroys more than the project; do it by hand if you mean it" >&2
  exit 2
fi
