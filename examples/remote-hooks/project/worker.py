"""The rules of a team, for any agent: `python3 worker.py ADDRESS`."""

import asyncio
import sys

from hookweave import HookClient, HookResponse, PreToolUseEvent

worker = HookClient()


@worker.hook(
    "PreToolUse",
    name="no-force-push",
    matcher={"tool": "Bash", "command_pattern": r"\bgit push\b"},
    fail_behavior="block",
)
def no_force_push(event: PreToolUseEvent) -> HookResponse | None:
    """Refuses what takes away the work of others."""
    return HookResponse.block("force pushes are for people") if "--force" in event.command else None


async def main() -> None:
    """Until the agent or a person ends it."""
    async with await worker.connect(sys.argv[1], name="rules") as connection:
        await connection.ready()
        print("ready", flush=True)
        await connection.wait_closed()


asyncio.run(main())
