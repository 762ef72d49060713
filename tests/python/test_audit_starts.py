"""A process that ends inside a hook: the log names the hook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hookweave import audit

from support import LIMIT

PROGRAM = """
import asyncio, json, os, signal, sys
from hookweave import HookClient

folder, kind, way = sys.argv[1:]
client = HookClient(default_timeout=600, audit={"file": folder + "/audit.jsonl", "level": "verbose"})
client.register_hook("PreToolUse", lambda event: None, name="harmless")

def ends(event):
    os.kill(os.getpid(), signal.SIGKILL)

async def ends_later(event):
    await asyncio.sleep(0)
    ends(event)

if kind == "command":
    with open(folder + "/deadly.sh", "w") as file:
        file.write(f"kill -9 {os.getpid()}; sleep 600")
    hook = {"type": "command", "command": f"sh {folder}/deadly.sh"}
    with open(folder + "/hooks.json", "w") as file:
        json.dump({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}, file)
    client.load(folder + "/hooks.json", dialect="claude-code", strict=True)
else:
    client.register_hook("PreToolUse", ends_later if kind == "coroutine" else ends, name="deadly")
if way == "blocking":
    client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"}, session_id="s1")
else:
    asyncio.run(client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"}, session_id="s1"))
"""


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("function", "blocking"),
        ("function", "awaited"),
        ("coroutine", "awaited"),
        ("command", "blocking"),
        ("command", "awaited"),
    ],
)
def test_the_hook_in_which_a_process_was_killed_is_on_record(tmp_path: Path, kind: str, way: str) -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path), kind, way], check=False, timeout=LIMIT)
    assert ended.returncode == -9
    log = tmp_path / "audit.jsonl"
    records: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    last = records[-1]
    assert (last["kind"], last["event"], last["session"]) == ("hook_started", "PreToolUse", "s1")
    began = [record["hook"].removesuffix(".sh") for record in records if record["kind"] == "hook_started"]
    # Hooks of files run before those of programs.
    assert began == (["deadly"] if kind == "command" else ["harmless", "deadly"])
    assert audit.verify(log).whole


def test_a_log_that_does_not_get_on_holds_few_hooks_up() -> None:
    """Starts are waited for; a log that does not get on is waited for once."""
    program = """
import os, threading
from hookweave import HookClient
never = threading.Event()
client = HookClient(default_timeout=600, audit={"callback": lambda record: never.wait(), "level": "verbose"})
client.register_hook("PreToolUse", lambda event: None)
for _ in range(300):
    client.dispatch_sync("PreToolUse", tool="Bash", args={})
os._exit(0)
"""
    # A second for each of them would be minutes.
    subprocess.run([sys.executable, "-c", program], check=True, timeout=LIMIT)
