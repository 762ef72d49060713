"""What tests share, so that none of them depends on how fast the machine is: clients, waits and limits."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from hookweave import HookClient

# What must happen takes at most this long, in seconds: also on a machine that does twenty other things.
LIMIT: Final = 120

# Whether what repeats something in another surrounding runs too.
ALL: Final = os.environ.get("HOOKWEAVE_TEST_ALL") == "1"


def new_client(**options: Any) -> HookClient:
    """A client whose hooks have ten minutes, so that one runs out of time only where its test says so."""
    return HookClient(**{"default_timeout": 600, **options})


async def sleep(seconds: float) -> None:
    """Sleeps on the loop that runs the caller, asyncio's or trio's."""
    if "trio" in sys.modules:
        import trio

        if trio.lowlevel.in_trio_task():
            await trio.sleep(seconds)
            return
    await asyncio.sleep(seconds)


def until(condition: Callable[[], object], seen: Callable[[], object] = lambda: "") -> None:
    """Waits until the condition holds; a failure shows what was seen instead."""
    ends = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < ends, f"does not hold within {LIMIT} s {seen()}"
        time.sleep(0.005)


async def until_async(condition: Callable[[], object]) -> None:
    """Waits until the condition holds while the loop goes on."""
    ends = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < ends, f"does not hold within {LIMIT} s"
        await sleep(0.002)
