#!/usr/bin/env python3
# Keeps prompts with secrets from being sent.
import json
import re
import sys

prompt = json.load(sys.stdin)["prompt"]
if re.search(r"\b(sk|ghp)[-_][A-Za-z0-9]{8,}", prompt):
    print(json.dumps({"decision": "block", "reason": "The prompt holds a secret; take it out and send it again"}))
