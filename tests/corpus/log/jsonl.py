#!/usr/bin/env python3
# Appends one line for each tool call to a log.
import json
import sys

event = json.load(sys.stdin)
with open("tools.log", "a", encoding="utf-8") as log:
    print(event["hook_event_name"], event["tool_name"], file=log)
