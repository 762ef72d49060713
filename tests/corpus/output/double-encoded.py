#!/usr/bin/env python3
# Encodes its refusal twice.
import json
import sys

sys.stdin.read()
print(json.dumps(json.dumps({"decision": "deny", "reason": "twice"})))
