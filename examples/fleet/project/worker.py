"""A worker of the group `rules`: `python3 worker.py ADDRESS NAME`."""

import asyncio
import contextlib
import signal
import sys

from hookweave import HookClient, HookResponse, PreToolUseEvent

ADDRESS, NAME = sys.argv[1:]
worker = HookClient()


@worker.hook(
    "PreToolUse",
    name="no-force-push",
    matcher={"tool": "Bash", "command_pattern": r"\bgit push\b"},
    fail_behavior="block",
    timeout=60,
)
def no_force_push(event: PreToolUseEvent) -> HookResponse | None:
    """Refuses what takes away the work of others, and says which worker it was."""
    return HookResponse.block(f"{NAME} refuses") if "--force" in event.command else None


async def main() -> None:
    """Until it is asked to end: it then takes nothing new, and ends what it runs."""
    this = asyncio.current_task()
    assert this is not None
    async with await worker.connect(ADDRESS, group="rules") as connection:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await connection.ready()
            print("ready", flush=True)
            await connection.wait_closed()


asyncio.run(main())
