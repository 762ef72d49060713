"""What a session adds to a tool that takes a millisecond."""

from __future__ import annotations

import time
from typing import Any

from harness import main
from subjects import client_with, silent

ARGS = {"command": "ls -la"}
TOOL_NS = 1_000_000


async def work(args: dict[str, Any]) -> str:
    """Works for a millisecond: a timer would be less exact than what is measured."""
    ends = time.perf_counter_ns() + TOOL_NS
    while time.perf_counter_ns() < ends:
        pass
    return "done"


async def bare(count: int) -> None:
    """The tool alone."""
    for _ in range(count):
        await work(dict(ARGS))


session = client_with(silent, 10).session()


async def judged(count: int) -> None:
    """The tool in a session with ten hooks."""
    for _ in range(count):
        await session.run_tool("Bash", ARGS, work)


# A hundred calls: after seconds of waiting for the other programs' turns the first calls of a sample are cold.
main({"tool of 1 ms": bare, "tool of 1 ms in a session with 10 hooks": judged}, sample_seconds=0.1)
