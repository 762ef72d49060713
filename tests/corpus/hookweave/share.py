#!/usr/bin/env python3
# Counts in what it shares with later hooks of the dispatch.
import json
import sys

shared = json.load(sys.stdin).get("shared", {})
print(json.dumps({"share": {"count": shared.get("count", 0) + 1}}))
