#!/usr/bin/env python3
# Refuses to touch files outside of the project.
import json
import os
import sys

event = json.load(sys.stdin)
root = os.path.realpath(os.environ["CLAUDE_PROJECT_DIR"])
path = os.path.realpath(os.path.join(event["cwd"], event["tool_input"]["file_path"]))
if os.path.commonpath([root, path]) != root:
    sys.stderr.write(f"{path} is outside of {root}\n")
    sys.exit(2)
