#!/bin/sh
# Adds context at the start of a session.
cat >/dev/null
echo '{"additionalContext":"Use the pull request template"}'
