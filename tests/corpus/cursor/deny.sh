#!/bin/sh
# Denies a command and tells the user and the agent each their part.
cat >/dev/null
echo '{"permission":"deny","user_message":"Blocked by policy","agent_message":"Use the deploy script"}'
