"""A worker's hook as a client calls it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from typing import Any

from ._outside_hooks import OutsideHookError, OutsideHookHandler

__all__ = ["Home", "RemoteHookHandler"]


class Home:
    """Where the connections to workers are looked after."""

    __slots__ = ("loop", "process", "thread")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.process = os.getpid()
        self.thread = threading.get_ident()

    def check(self, blocks: bool) -> None:
        """Refuses a call that nobody would ever send."""
        if self.process != os.getpid():
            why = "the process was forked after it began to serve workers; serve again in the child"
            raise OutsideHookError("unreachable", why, False)
        if self.loop.is_closed():
            raise OutsideHookError("unreachable", "the loop that served workers has ended; serve again", False)
        if blocks and self.thread == threading.get_ident() and self.loop.is_running():
            why = "dispatch_sync blocks the loop that the worker is reached by; await dispatch instead"
            raise OutsideHookError("not_started", why, False)


class RemoteHookHandler(OutsideHookHandler):
    """What a client calls for a worker's hook."""

    __slots__ = ("_home",)

    def __init__(self, home: Home, client: Any, hook: Any) -> None:
        super().__init__(client, hook)
        self._home = home

    def __call__(self, event: Any) -> Awaitable[Any]:
        self._home.check(blocks=False)
        return super().__call__(event)

    def begin(self, event: Any) -> Any:
        """Starts the hook for a thread that waits for it."""
        self._home.check(blocks=True)
        return super().begin(event)
