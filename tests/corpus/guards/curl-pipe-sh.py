#!/usr/bin/env python3
# Refuses to run a script straight from the network, in the older form of the answer.
import json
import re
import sys

command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
if re.search(r"\b(curl|wget)\b[^|;]*\|\s*(sudo\s+)?(ba|z|da)?sh\b", command):
    print(json.dumps({"decision": "block", "reason": "Download the script, read it, then run it"}))
