#!/bin/sh
# Has Cursor ask before a command runs.
echo '{"permission":"ask","user_message":"Run it?"}'
