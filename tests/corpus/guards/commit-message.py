#!/usr/bin/env python3
# Wants commit messages that say what kind of change it is.
import json
import re
import shlex
import sys

words = shlex.split(json.load(sys.stdin)["tool_input"]["command"])
if words[:2] == ["git", "commit"] and "-m" in words:
    message = words[words.index("-m") + 1]
    if not re.match(r"(feat|fix|docs|test|refactor)(\(.+\))?: ", message):
        sys.exit(f"commit message {message!r} has no type") if "--warn" in sys.argv else None
        print(f"commit message {message!r} has no type (feat, fix, docs, ...)", file=sys.stderr)
        sys.exit(2)
