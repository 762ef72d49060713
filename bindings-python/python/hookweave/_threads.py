"""A bounded pool of daemon threads for blocking handlers.

Daemon threads, because a handler that hangs past its timeout must not keep the process alive; a plain
``ThreadPoolExecutor`` joins its threads at exit.
"""

from __future__ import annotations

import contextvars
import os
import queue
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias

from . import _native

__all__ = ["MAX_THREADS", "run_blocking", "submit"]

MAX_THREADS = min(32, (os.cpu_count() or 1) + 4)
"""How many handlers work at a time, of those that are nested equally deep."""

Result: TypeAlias = tuple[bool, Any]
"""``(True, answer)`` or ``(False, exception)``: exceptions travel as values, so that none is altered on the way."""
_Job: TypeAlias = tuple["Future[Result]", Callable[[], Any]]


class _Level:
    """The jobs of one nesting depth."""

    __slots__ = ("waiting", "working")

    def __init__(self) -> None:
        self.waiting: deque[_Job] = deque()
        self.working = 0


class _Pool:
    """Runs up to ``MAX_THREADS`` jobs of each nesting depth at a time; the others wait in order.

    A job that dispatches waits for jobs, in ways that cannot be seen from here: on its thread, on a loop, on a thread
    that it started. All of them are nested deeper than itself. With threads for each depth, none waits for its own.
    """

    def __init__(self) -> None:
        # A signal handler, or the end of an object, that comes in between may submit too.
        self.lock = threading.RLock()
        self.levels: defaultdict[int, _Level] = defaultdict(_Level)
        self.handed: queue.SimpleQueue[tuple[_Level, _Job]] = queue.SimpleQueue()
        """What free threads are to take; each of them has been counted out of ``free``."""
        self.free = 0
        self.started = 0

    def submit(self, job: _Job, depth: int) -> None:
        with self.lock:
            level = self.levels[depth]
            if level.working >= MAX_THREADS or not self.place(level, job):
                level.waiting.append(job)

    def place(self, level: _Level, job: _Job) -> bool:
        """Gives a job to a thread; False when the system has none for it and others of its level will come to it."""
        if self.free > 0:
            self.free -= 1
            self.handed.put((level, job))
        else:
            name = f"hookweave-{self.started + 1}"
            try:
                threading.Thread(target=self.work, args=([(level, job)],), name=name, daemon=True).start()
            except RuntimeError:
                if level.working == 0:
                    raise
                return False
            self.started += 1
        level.working += 1
        return True

    def work(self, first: list[tuple[_Level, _Job]]) -> None:
        level, job = first.pop()
        while True:
            _run(*job)
            # Not below, where the lock is held: what goes with it may run anything.
            del job
            with self.lock:
                if level.waiting:
                    job = level.waiting.popleft()
                    continue
                level.working -= 1
                if self.free >= MAX_THREADS:
                    return
                self.free += 1
            level, job = self.handed.get()


def _run(future: Future[Result], run: Callable[[], Any]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            result = (True, run())
        except BaseException as error:
            result = (False, error)
        future.set_result(result)


_pool = _Pool()


def _forget_threads() -> None:
    """A forked child has none of its parent's threads."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def submit(handler: Callable[[Any], Any], event: object, depth: int) -> Future[Result]:
    """Starts ``handler(event)`` on a thread, in a copy of the caller's context and at the caller's nesting depth."""
    future: Future[Result] = Future()
    context = contextvars.copy_context()
    _pool.submit((future, lambda: context.run(_native.call_at_depth, handler, event, depth)), depth)
    return future


def run_blocking(handler: Callable[[Any], Any], event: object, depth: int, timeout: float | None) -> tuple[str, Any]:
    """Runs a handler on a thread and waits: ``("answer", value)``, ``("raised", error)`` or ``("timeout", None)``."""
    future = submit(handler, event, depth)
    try:
        worked, value = future.result(timeout)
    except TimeoutError:
        return ("timeout", None)
    finally:
        future.cancel()
    return ("answer" if worked else "raised", value)
