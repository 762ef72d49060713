#!/bin/sh
# Leaves variables for the commands of the session.
cat >/dev/null
{
  echo 'export NODE_ENV=test'
  echo 'PORT="8080"'
} >>"$CLAUDE_ENV_FILE"
