"""An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder.

The agent dispatches each line that it reads, `TOOL COMMAND`, and writes what came of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from hookweave import HookClient, HookResponse


def tell(line: str) -> None:
    """Tells the test what happened."""
    print(line, flush=True)


async def serve(client: HookClient, address: str) -> None:
    """Dispatches until the input ends."""
    async with await client.serve(address) as serving:
        tell(serving.address)
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            tool, command = line.split(" ", 1)
            outcome = await client.dispatch("PreToolUse", tool=tool, args={"command": command})
            args = outcome.event.args
            tell(json.dumps([outcome.decision, outcome.reason, args["command"]], separators=(",", ":")))


async def work(client: HookClient, address: str) -> None:
    """Has the hooks until it is killed."""

    @client.hook("PreToolUse", matcher={"tool": "Bash"}, fail_behavior="block", timeout=None)
    async def guard(event: Any) -> HookResponse | None:
        command = event.args["command"]
        if command == "wait":
            tell("waits")
            await asyncio.Event().wait()
        if command.startswith("rm"):
            return HookResponse.block("no rm")
        return HookResponse.continue_(modified={"args": {"command": f"nice {command}"}})

    @client.hook("PreToolUse", matcher={"tool": "Note"}, fail_behavior="continue", timeout=None)
    def note(event: Any) -> HookResponse:
        return HookResponse.block("noted")

    async with await client.connect(address, name="guards") as connection:
        await connection.ready()
        tell("ready")
        await connection.wait_closed()


asyncio.run({"serve": serve, "work": work}[sys.argv[1]](HookClient(), sys.argv[2]))
