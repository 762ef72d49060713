"""The ends of processes that ``multiprocessing`` has forked: nothing of ``atexit`` runs there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Final

__all__ = ["at_end", "at_end_of_child"]

_registered: Final[set[tuple[int, Callable[[], None]]]] = set()
"""What is called at the end of which process."""


def at_end(end: Callable[[], None]) -> None:
    """Calls a function before this process ends, once, where ``multiprocessing`` is in use."""
    util: Any = sys.modules.get("multiprocessing.util")
    key = (os.getpid(), end)
    if util is not None and key not in _registered:
        _registered.add(key)
        util.Finalize(None, end, exitpriority=0)


def at_end_of_child(end: Callable[[], None]) -> None:
    """The same in a child that was just forked: ``multiprocessing`` is about to forget what was registered before."""
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(end, at_end)
