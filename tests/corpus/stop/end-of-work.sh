#!/bin/sh
# Ends the turn for good.
cat >/dev/null
echo '{"continue": false, "stopReason": "The budget is used up"}'
