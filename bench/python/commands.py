"""Commands as hooks in Python, beside asyncio's own subprocesses; and the loading of a settings file."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE
from pathlib import Path

from harness import Variant, main
from hookweave import HookClient
from subjects import PAYLOAD, dispatching

ROOT = Path(__file__).resolve().parent.parent.parent
ONE = ROOT / "bench" / "hooks" / "hookweave.toml"
# What `install` of bench/programs.py writes.
FIFTY = ROOT / "target" / "bench" / "fifty" / ".claude" / "settings.json"


async def spawning(count: int) -> None:
    """What a program with a command and no engine does: JSON in, output and exit code out."""
    for _ in range(count):
        process = await asyncio.create_subprocess_exec("/usr/bin/true", stdin=PIPE, stdout=PIPE, stderr=PIPE)
        await process.communicate(json.dumps(PAYLOAD).encode())


def hook() -> Variant:
    """A dispatch that runs one command."""
    client = HookClient()
    client.load(ONE)
    return dispatching(client)


async def loading(count: int) -> None:
    """Reads a settings file of fifty hooks and looks at their scripts, in a new client."""
    for _ in range(count):
        HookClient().load(FIFTY)


main(
    {
        "asyncio.create_subprocess_exec, true": spawning,
        "hookweave, command true": hook(),
        "loading 50 hooks": loading,
    },
    "hookweave",
    sample_seconds=0.1,  # Commands are slower and vary more.
)
