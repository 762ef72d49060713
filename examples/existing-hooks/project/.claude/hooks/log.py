#!/usr/bin/env python3
"""PostToolUse: writes down what was done, one JSON object a line. It prints nothing and decides nothing."""

import json
import os
import sys
from pathlib import Path

event = json.load(sys.stdin)
args = event["tool_input"]
line = {"session": event["session_id"], "tool": event["tool_name"], "subject": args.get("command") or args["file_path"]}
with Path(os.environ["CLAUDE_PROJECT_DIR"], ".claude", "log.jsonl").open("a") as log:
    log.write(json.dumps(line) + "\n")
