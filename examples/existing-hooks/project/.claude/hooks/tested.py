#!/usr/bin/env python3
"""Stop: the agent may not end its turn while files have changed that no test has seen. Exit code 2 sends it back."""

import json
import sys
from pathlib import Path

event = json.load(sys.stdin)
untested = set()
try:
    with Path(event["cwd"], ".claude", "log.jsonl").open() as log:
        for done in map(json.loads, log):
            if done["tool"] in ("Write", "Edit"):
                untested.add(done["subject"])
            elif "unittest" in done["subject"]:
                untested.clear()
except FileNotFoundError:
    pass

# `stop_hook_active` says that this hook has sent the agent back once already: twice would be a loop.
if untested and not event["stop_hook_active"]:
    print(f"run the tests first; untested: {', '.join(sorted(untested))}", file=sys.stderr)
    sys.exit(2)
