#!/usr/bin/env python3
# Asks for a summary once, and lets the agent stop when it has kept working for that.
import json
import sys

if not json.load(sys.stdin).get("stop_hook_active"):
    print("Write a summary first.", file=sys.stderr)
    sys.exit(2)
