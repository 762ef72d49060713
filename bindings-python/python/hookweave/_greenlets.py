"""Programs whose threads are greenlets: gevent and eventlet replace the blocking calls of the standard library.

There a wait in native code stops every greenlet, the one that is waited for too. What waits here waits for a descriptor
by the library's ``select``, which lets the others run.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from time import monotonic
from types import BuiltinFunctionType

from . import _native

__all__ = ["completion_queue", "is_patched", "wait_readable", "wait_until"]


def is_patched() -> bool:
    """Whether a library has replaced the blocking calls of the standard library."""
    return hasattr(select, "select") and not isinstance(select.select, BuiltinFunctionType)


def completion_queue() -> _native.CompletionQueue | None:
    """A queue to wait for while other greenlets run; None where that is not needed or not possible."""
    if not is_patched():
        return None
    try:
        return _native.CompletionQueue()
    except OSError:
        return None


def wait_readable(queue: _native.CompletionQueue, timeout: float | None = None) -> None:
    """Waits until a queue has completions, while other greenlets run."""
    select.select([queue.fileno()], [], [], timeout)


def wait_until(done: Callable[[], bool], timeout: float) -> bool:
    """Asks again and again, while other greenlets run; False when the seconds were over first."""
    until = monotonic() + timeout
    while not done():
        if monotonic() >= until:
            return False
        time.sleep(0.002)
    return True
