#!/bin/sh
# Tells the model the branch with every prompt, as plain text.
cat >/dev/null
echo "Current branch: $(sed 's|.*/||' "$CLAUDE_PROJECT_DIR/.git/HEAD")"
