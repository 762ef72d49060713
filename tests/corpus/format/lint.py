#!/usr/bin/env python3
# Tells the model what the linter found after an edit.
import json
import sys

event = json.load(sys.stdin)
with open(event["tool_input"]["file_path"], encoding="utf-8") as file:
    found = [f"line {number}: too long" for number, line in enumerate(file, 1) if len(line) > 20]
if found:
    print(json.dumps({"decision": "block", "reason": "\n".join(found)}))
