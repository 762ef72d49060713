#!/usr/bin/env python3
# Changes the input of a call.
import json
import sys

context = json.load(sys.stdin)
print(json.dumps({"ModifyInput": {"new_input": {**context["tool_input"], "command": "true"}}}))
