#!/bin/sh
# Keeps the agent going with another message.
cat >/dev/null
echo '{"followup_message":"Now update the docs"}'
