"""Hooks around a whole tool call in Python: what a session does for a tool that takes no time."""

from __future__ import annotations

from typing import Any, Final

from harness import Variant, main
from subjects import EVENT, silent, unlimited

ARGS = {"command": "ls -la"}
AFTER: Final = "PostToolUse"


async def work(args: dict[str, Any]) -> str:
    """A tool."""
    return "done"


def calling(hooks: int, after: int = 0) -> Variant:
    """Tool calls in a session with so many hooks before and after each."""
    client = unlimited()
    for number in range(hooks):
        client.register_hook(EVENT, silent, name=f"before{number}", matcher={"tool": "Bash"})
    for number in range(after):
        client.register_hook(AFTER, silent, name=f"after{number}", matcher={"tool": "Bash"})
    session = client.session()

    async def run(count: int) -> None:
        for _ in range(count):
            await session.run_tool("Bash", ARGS, work)

    return run


main(
    {f"hookweave, tool call, {hooks} hooks": calling(hooks) for hooks in (0, 1, 10)}
    | {f"hookweave, tool call, {hooks} hooks before and after": calling(hooks, after=hooks) for hooks in (1, 10)}
)
