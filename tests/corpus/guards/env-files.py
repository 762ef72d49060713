#!/usr/bin/env python3
# Keeps every tool away from .env files, by exit code 2.
import json
import os
import sys

event = json.load(sys.stdin)
path = (event.get("tool_input") or {}).get("file_path") or ""
name = os.path.basename(path)
if name == ".env" or name.startswith(".env."):
    print(f"{name} holds secrets; ask a person for what you need from it", file=sys.stderr)
    sys.exit(2)
