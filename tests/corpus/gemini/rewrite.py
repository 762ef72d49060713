#!/usr/bin/env python3
# Changes one argument; the others stay.
import json
import sys

json.load(sys.stdin)
print(
    json.dumps({"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"command": "ls --color=never"}}})
)
