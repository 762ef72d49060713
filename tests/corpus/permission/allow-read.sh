#!/bin/sh
# Grants what only reads.
if grep -q '"tool_name" *: *"Read"'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
fi
