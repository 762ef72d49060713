#!/bin/sh
# UserPromptSubmit: tells the model which ticket is open. What a hook of this event prints becomes context.
cat > /dev/null
printf 'Open ticket: %s\n' "$(head -n 1 "$CLAUDE_PROJECT_DIR/TICKET")"
