"""A bounded pool of daemon threads for blocking handlers.

Daemon threads, because a handler that hangs past its timeout must not keep the process alive; a plain
``ThreadPoolExecutor`` joins its threads at exit.
"""

from __future__ import annotations

import contextvars
import os
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeAlias

from . import _native

__all__ = ["MAX_THREADS", "run_blocking", "submit"]

MAX_THREADS = min(32, (os.cpu_count() or 1) + 4)

Result: TypeAlias = tuple[bool, Any]
"""``(True, answer)`` or ``(False, exception)``: exceptions travel as values, so that none is altered on the way."""
_Job: TypeAlias = tuple["Future[Result]", Callable[[], Any]]


class _Pool:
    """Starts a thread for each job that no thread is free for, up to ``MAX_THREADS`` that work at a time."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.threads = 0
        """Threads that work or are free; one that waits for a job of its own is not counted."""
        self.free = 0
        """Free threads less waiting jobs: below zero, that many jobs wait."""

    def submit(self, job: _Job) -> None:
        with self.lock:
            self.free -= 1
            try:
                self.start_if_needed()
            except BaseException:
                self.free += 1
                raise
            self.jobs.put(job)

    def start_if_needed(self) -> None:
        if self.free < 0 and self.threads < MAX_THREADS:
            threading.Thread(target=self.work, name=f"hookweave-{self.threads + 1}", daemon=True).start()
            self.threads += 1
            self.free += 1

    @contextmanager
    def lending(self) -> Iterator[None]:
        """Lets another thread work while this one waits for a job: nested hooks must not starve each other."""
        if not getattr(_local, "works", False):
            yield
            return
        with self.lock:
            self.threads -= 1
            try:
                self.start_if_needed()
            except BaseException:
                self.threads += 1
                raise
        try:
            yield
        finally:
            with self.lock:
                self.threads += 1

    def work(self) -> None:
        _local.works = True
        while True:
            future, run = self.jobs.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = (True, run())
                except BaseException as error:
                    result = (False, error)
                future.set_result(result)
                del result
            del future, run
            with self.lock:
                if self.threads > MAX_THREADS:
                    self.threads -= 1
                    return
                self.free += 1


_pool = _Pool()
_local = threading.local()


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
    _pool.submit((future, lambda: context.run(_native.call_at_depth, handler, event, depth)))
    return future


def run_blocking(handler: Callable[[Any], Any], event: object, depth: int, timeout: float | None) -> tuple[str, Any]:
    """Runs a handler on a thread and waits: ``("answer", value)``, ``("raised", error)`` or ``("timeout", None)``."""
    future = submit(handler, event, depth)
    try:
        with _pool.lending():
            worked, value = future.result(timeout)
    except TimeoutError:
        return ("timeout", None)
    finally:
        future.cancel()
    return ("answer" if worked else "raised", value)
