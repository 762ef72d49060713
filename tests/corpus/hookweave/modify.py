#!/usr/bin/env python3
# Changes the command of the event and leaves the rest of the arguments.
import json
import sys

event = json.load(sys.stdin)
print(
    json.dumps({"hookweave": 1, "modified": {"args": {**event["args"], "command": event["args"]["command"] + " -v"}}})
)
