"""Callbacks in Python: hookweave, the bare loop, blinker and pluggy."""

from __future__ import annotations

import asyncio
from typing import Any

import blinker
import pluggy
from harness import Variant, main
from subjects import PAYLOAD, client_with, dispatching, dispatching_sync, floor, silent, silent_sync, unlimited


async def suspending(event: Any) -> None:
    """A hook that gives the loop a turn, as one that reads a file or a socket does."""
    await asyncio.sleep(0)


def blinker_async() -> Variant:
    """blinker's `send_async` with one async receiver."""
    signal = blinker.Signal()

    async def receiver(sender: Any, event: Any) -> None:
        return None

    signal.connect(receiver, weak=False)

    async def run(count: int) -> None:
        for _ in range(count):
            await signal.send_async("Bash", event=PAYLOAD)

    return run


def pluggy_sync() -> Variant:
    """pluggy with one implementation; it has no async."""
    spec, impl = pluggy.HookspecMarker("bench"), pluggy.HookimplMarker("bench")

    class Spec:
        @spec
        def pre_tool_use(self, event: Any) -> None: ...

    class Plugin:
        @impl
        def pre_tool_use(self, event: Any) -> None:
            return None

    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    manager.register(Plugin())
    call = manager.hook.pre_tool_use

    async def run(count: int) -> None:
        for _ in range(count):
            call(event=PAYLOAD)

    return run


main(
    {
        "floor, 0 hooks": floor([]),
        "hookweave, 0 of 1 hooks match": dispatching(client_with(silent, 0)),
        "hookweave, no hooks": dispatching(unlimited()),
        "floor, 1 async hook": floor([silent]),
        "hookweave, 1 async hook": dispatching(client_with(silent, 1)),
        "hookweave, 1 sync hook": dispatching(client_with(silent_sync, 1)),
        "hookweave, dispatch_sync, 1 sync hook": dispatching_sync(client_with(silent_sync, 1)),
        "floor, 10 async hooks": floor([silent] * 10),
        "hookweave, 10 async hooks": dispatching(client_with(silent, 10)),
        "hookweave, 10 sync hooks": dispatching(client_with(silent_sync, 10)),
        "floor, suspending hook": floor([suspending]),
        "hookweave, suspending hook with timeout": dispatching(client_with(suspending, 1)),
        "blinker send_async, 1 async receiver": blinker_async(),
        "pluggy, 1 sync hook": pluggy_sync(),
    },
    "hookweave",
    "blinker",
    "pluggy",
)
