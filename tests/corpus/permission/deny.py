#!/usr/bin/env python3
# Denies a request and says so to the model.
import json
import sys

sys.stdin.read()
decision = {"behavior": "deny", "message": "not on a Friday"}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
