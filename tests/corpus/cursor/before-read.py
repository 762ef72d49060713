#!/usr/bin/env python3
# Keeps private files from being read.
import json
import sys

path = json.load(sys.stdin)["file_path"]
print(json.dumps({"permission": "deny" if "/private/" in path else "allow"}))
