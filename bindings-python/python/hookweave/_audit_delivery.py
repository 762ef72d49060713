"""Hands records of the audit log to a program's function and to its logging."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from . import _greenlets, _native
from ._logging import logger

__all__ = ["Delivery", "log_record"]

AT_ONCE: Final = 256
"""How many records are fetched at a time."""

AWHILE: Final = 3600.0
"""How long the thread sleeps at most before it looks whether it is still wanted."""

POLL: Final = 0.05
"""How often a greenlet of a forked child looks."""

audit_logger: Final = logging.getLogger("hookweave.audit")

_LEVELS: Final = {"hook_failed": logging.WARNING, "audit_gap": logging.ERROR, "audit_recovered": logging.WARNING}


def log_record(record: dict[str, Any]) -> None:
    """Writes a record to the logger ``hookweave.audit``, at a level that fits it."""
    level = _LEVELS.get(record["kind"], logging.INFO)
    if audit_logger.isEnabledFor(level):
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        audit_logger.log(level, "%s", text, extra={"audit": record})


class Delivery:
    """A daemon thread that gives each record to each listener, in order.

    A greenlet where threads are greenlets.
    """

    __slots__ = ("__weakref__", "_delivered", "_listeners", "_outbox", "_process", "_queue", "_thread")

    def __init__(
        self,
        outbox: _native.Outbox,
        listeners: tuple[Callable[[dict[str, Any]], object], ...],
        queue: _native.CompletionQueue | None,
    ) -> None:
        self._outbox = outbox
        self._listeners = listeners
        self._queue = queue
        self._process = os.getpid()
        self._start()
        _open.add(self)

    @property
    def is_green(self) -> bool:
        """Whether what delivers runs only while the others wait."""
        return self._queue is not None

    def _start(self) -> None:
        self._delivered = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="hookweave-audit-delivery", daemon=True)
        self._thread.start()

    def restart(self) -> None:
        """Goes on in a forked child, where the thread does not exist."""
        self._start()

    def _run(self) -> None:
        outbox = self._outbox
        while outbox.wait(AWHILE) if self._queue is None else self._wait_green(self._queue):
            with self._delivered:
                lines, lost = outbox.fetch(AT_ONCE)
                for line in lines:
                    try:
                        record = json.loads(line)
                    except ValueError:
                        # An integer that is longer than Python takes; what follows is delivered.
                        logger.exception("a record of the audit log was not delivered: Python does not take it")
                        continue
                    self._hand(record)
                if lost:
                    logger.error("%d records of the audit log were not delivered: the listeners are too slow", lost)
                self._delivered.notify_all()

    def _wait_green(self, queue: _native.CompletionQueue) -> bool:
        """What the outbox's own wait does, while other greenlets run."""
        outbox = self._outbox
        own = self._process == os.getpid()
        while True:
            if own:
                queue.take()
            if not outbox.wait(0.0):
                return False
            if not outbox.is_empty():
                return True
            if own:
                _greenlets.wait_readable(queue, AWHILE)
            else:
                # A forked child must not empty its parent's queue.
                time.sleep(POLL)

    def _hand(self, record: dict[str, Any]) -> None:
        for listener in self._listeners:
            try:
                listener(record)
            except BaseException:
                # Also its `sys.exit`, which would end this thread alone, and with it every delivery that follows.
                logger.warning("the audit callback failed on record %s", record.get("seq"), exc_info=True)

    def drain(self, timeout: float) -> bool:
        """Waits until everything was handed on; False when the seconds were over first."""
        if threading.current_thread() is self._thread:
            return True
        until = monotonic() + timeout
        while not self._outbox.is_empty() or not self._idle(until):
            if monotonic() >= until or not self._thread.is_alive():
                return False
            threading.Event().wait(0.005)
        return True

    def _idle(self, until: float) -> bool:
        """Whether no record is being handed on: the thread holds its condition meanwhile."""
        if not self._delivered.acquire(timeout=max(until - monotonic(), 0)):
            return False
        self._delivered.release()
        return self._outbox.is_empty()

    def close(self, timeout: float) -> None:
        """Ends the thread once everything was handed on, or the seconds are over."""
        _open.discard(self)
        self._outbox.close()
        if self._queue is not None:
            self._queue.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)


_open: Final[weakref.WeakSet[Delivery]] = weakref.WeakSet()


def _restart_all() -> None:
    for delivery in list(_open):
        delivery.restart()


if hasattr(os, "register_at_fork"):
    # Behind the import of `threading`, whose own function for a forked child takes threads that exist by then for dead.
    os.register_at_fork(after_in_child=_restart_all)
