#!/usr/bin/env python3
# Tells the model about the project when a session begins, in JSON.
import json
import sys

source = json.load(sys.stdin)["source"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": f"Began by {source}"}}))
