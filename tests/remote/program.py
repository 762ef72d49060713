"""An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder.

`serve ADDRESS LOG KEEPALIVE` does what each line says, and writes what came of it: `list` its hooks, or dispatch a call
so many times at once, `TIMES TOOL COMMAND`. `work ADDRESS NAME` has hooks.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from hookweave import HookClient, HookResponse, Outcome


def tell(line: Any) -> None:
    """Tells the test what happened."""
    print(line if isinstance(line, str) else json.dumps(line, separators=(",", ":")), flush=True)


def shown(outcome: Outcome[Any]) -> list[Any]:
    """What a dispatch came to: decision, reason, command, and each hook with its failure."""
    trace = [[entry.hook, entry.failure and entry.failure.kind] for entry in outcome.trace]
    return [outcome.decision, outcome.reason, outcome.event.args["command"], trace]


async def serve(address: str, log: str, keepalive: str) -> None:
    """Dispatches until the input ends."""
    client = HookClient(default_timeout=None, audit={"file": log})
    groups = ["guards", "near"] if address.startswith("nats:") else None
    async with await client.serve(address, groups=groups, keepalive=int(keepalive) / 1000) as serving:
        tell(serving.address)
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if line == "list":
                tell([[hook.name, hook.worker] for hook in client.list_hooks()])
            else:
                times, tool, command = line.split(" ", 2)
                calls = [client.dispatch("PreToolUse", tool=tool, args={"command": command}) for _ in range(int(times))]
                tell([shown(outcome) for outcome in await asyncio.gather(*calls)])
    client.close()
    tell("closed")


async def work(address: str, name: str) -> None:
    """Has the hooks until it is killed."""
    client = HookClient()

    @client.hook("PreToolUse", matcher={"tool": "Bash"}, fail_behavior="block", timeout=None)
    async def guard(event: Any) -> HookResponse | None:
        command = event.args["command"]
        if command == "wait":
            tell("waits")
            try:
                await asyncio.Event().wait()
            finally:
                tell("cancelled")
        if command.startswith("rm"):
            return HookResponse.block("no rm")
        return HookResponse.continue_(modified={"args": {"command": f"nice {command}"}})

    @client.hook("PreToolUse", matcher={"tool": "Note"}, fail_behavior="continue", timeout=None)
    def note(event: Any) -> HookResponse:
        return HookResponse.block("noted")

    options = {"group" if address.startswith("nats:") else "name": name}
    async with await client.connect(address, **options) as connection:
        await connection.ready()
        tell("ready")
        await connection.wait_closed()


asyncio.run({"serve": serve, "work": work}[sys.argv[1]](*sys.argv[2:]))
