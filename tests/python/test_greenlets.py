"""Programs whose threads are greenlets: nothing that the package waits for keeps other greenlets from running."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from support import LIMIT

PROGRAM = """
import sys, threading, time
if sys.argv[1] == "gevent":
    from gevent import monkey; monkey.patch_all()
else:
    import warnings; warnings.simplefilter("ignore")
    import eventlet; eventlet.monkey_patch()
import faulthandler; faulthandler.dump_traceback_later(100, exit=True)
import json, tempfile, pathlib
from hookweave import HookClient

ticks, going, due = [], True, lambda: None
def tick():
    while going:
        ticks.append(1)
        due()
        time.sleep(0.01)
def four_ticks(event):
    before = len(ticks)
    while len(ticks) < before + 4:
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()

heard = []
client = HookClient(default_timeout=600, audit={"level": "info", "callback": heard.append})
client.register_hook("PreToolUse", lambda event: None)
client.register_hook("PostToolUse", four_ticks, run_in_thread=True)
client.dispatch_sync("PreToolUse", tool="Bash", args={})
assert client.flush_audit(100)
assert [record["kind"] for record in heard].count("hook_finished") == 1, heard

# What stops the others hangs.
client.dispatch_sync("PostToolUse", tool="Bash", args={})

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "hookweave.toml")
    begun, go = pathlib.Path(folder, "begun"), pathlib.Path(folder, "go")
    waits = f"touch {begun}; until test -e {go}; do sleep 0.01; done"
    path.write_text(f'hookweave = 1\\n[[hooks]]\\nevent = "Stop"\\ncommand = "{waits}"\\ntimeout = "90s"\\n')
    client.load(path)
    before = len(ticks)
    due = lambda: begun.exists() and len(ticks) > before + 10 and go.touch()
    outcome = client.dispatch_sync("Stop")
    assert outcome.trace[0].failure is None, outcome.trace
going = False
logging_too = HookClient(default_timeout=600, audit={"log": True})
logging_too.dispatch_sync("Stop")
logging_too.close()
client.close()
print("done", len(heard) > 1)
"""


@pytest.mark.parametrize("library", ["gevent", "eventlet"])
def test_greenlets_go_on_while_the_package_waits(library: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, library], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert ended.stdout == "done True\n", ended.stdout + ended.stderr
    assert ended.returncode == 0
