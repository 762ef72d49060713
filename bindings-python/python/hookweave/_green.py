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
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from ._native_hooks import Letter

__all__ = ["Begun", "is_patched", "mailbox", "wait_readable", "wait_until"]


def is_patched() -> bool:
    """Whether somebody has put waits of his own in the place of the standard library's."""
    return hasattr(select, "select") and not isinstance(select.select, BuiltinFunctionType)


def mailbox() -> _native.Mailbox | None:
    """What can be waited for with others going on; None where that is not needed or not possible."""
    if not is_patched():
        return None
    try:
        return _native.Mailbox()
    except OSError:
        return None


def wait_readable(box: _native.Mailbox, timeout: float | None = None) -> None:
    """Waits until something is in a mailbox, while other greenlets run."""
    select.select([box.fileno()], [], [], timeout)


def wait_until(done: Callable[[], bool], timeout: float) -> bool:
    """Asks again and again, while other greenlets run; False when the seconds were over first."""
    until = monotonic() + timeout
    while not done():
        if monotonic() >= until:
            return False
        time.sleep(0.002)
    return True


class Begun:
    """A hook from a file that a greenlet has begun; one that nobody waits for any more is killed."""

    __slots__ = ("_box", "_job")

    def __init__(self, hook: _native.NativeHook, event: Any, box: _native.Mailbox) -> None:
        self._box = box
        self._job = hook.start(event, box, 0)

    def wait(self) -> Letter:
        """Waits for the hook."""
        while True:
            wait_readable(self._box)
            for _, letter in self._box.take():
                self._job = None
                return letter

    def __del__(self) -> None:
        job = getattr(self, "_job", None)
        if job is not None:
            job.cancel()
