"""Events that begin outside a dispatch: files that changed run hooks where the host's own hooks run.

A thread of the core wakes a completion queue and never enters the interpreter. The event loop on
which ``watch`` was called watches the queue, else a daemon thread. Neither keeps the process alive.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import selectors
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from . import _native, files
from ._logging import logger
from ._running_trio import running_trio
from .files import ReloadReport

__all__ = ["FileWatch", "OnReload"]

FileChange: TypeAlias = tuple[str, str]
"""A file that hooks watch, and how it changed."""

OnReload: TypeAlias = Callable[[ReloadReport], Awaitable[None] | None]
"""Called with the report of a reload; sync or async."""


class FileWatch:
    """Reloads a client's files when they change, and raises ``FileChanged`` for those that its hooks watch.

    It sees to it until it is stopped or its loop is closed.
    """

    __slots__ = (
        "__weakref__",
        "_client",
        "_context",
        "_leave",
        "_missed",
        "_on_reload",
        "_process",
        "_queue",
        "_watch",
        "_watched",
    )

    def __init__(self, client: _native.Client, on_reload: OnReload | None) -> None:
        self._client = weakref.ref(client, lambda _: self.stop())
        self._on_reload = on_reload
        self._process = os.getpid()
        self._context = contextvars.copy_context()
        self._queue = _native.CompletionQueue()
        self._watch: _native.Watch | None = None
        self._watched: Any = None
        self._missed: list[FileChange] = []
        self._leave: Callable[[], None] = lambda: None
        self.look(client)
        self._join()

    @property
    def stopped(self) -> bool:
        """Whether the watch has ended."""
        return self._watch is None

    def stop(self) -> None:
        """Ends the watch, from any thread; does nothing the second time."""
        watch, self._watch = self._watch, None
        if watch is None:
            return
        watch.stop()
        # A forked child shares what its parent's loop watches, and must not take anything out of it.
        if self._process == os.getpid():
            self._leave()

    def look(self, client: _native.Client) -> bool:
        """Watches the files that count now; gives whether they differ from those before."""
        watched = _native.watched_files(client)
        if self._watch is not None and watched == self._watched:
            return False
        old, self._watch = self._watch, _native.Watch(client, self._queue)
        self._watched = watched
        if old is not None:
            self._missed += old.take()[1]
            old.stop()
        return True

    def _take(self) -> tuple[bool, list[FileChange]]:
        """What happened since the last call: whether to reload, and the changed files."""
        missed, self._missed = self._missed, []
        reload, changed = (False, []) if self._watch is None else self._watch.take()
        return reload, missed + changed

    def _wants_others(self) -> bool:
        """Whether a hook has asked meanwhile for other files."""
        client = self._client()
        try:
            return client is not None and not self.stopped and self.look(client)
        except Exception:
            logger.exception("files that hooks asked for cannot be watched")
            return False

    async def attend(self) -> None:
        """Does on the loop that runs what changed files ask for; a reload first: hooks in force get the rest."""
        again = False
        while True:
            reload, changed = self._take()
            if reload or again:
                await self.reload()
            for path, what in changed:
                client = self._client()
                if client is None or self.stopped:
                    return
                try:
                    await client.dispatch("FileChanged", {"file_path": path, "event": what})
                except Exception:
                    logger.exception("hooks were not run for the change of %s", path)
            # What changed since the files were read, the old watch may have kept to itself.
            again = self._wants_others()
            if not again and not self._missed:
                return

    def attend_blocking(self) -> None:
        """The same on a thread."""
        again = False
        while True:
            reload, changed = self._take()
            if reload or again:
                self.reload_blocking()
            for path, what in changed:
                client = self._client()
                if client is None or self.stopped:
                    return
                try:
                    client.dispatch_sync("FileChanged", {"file_path": path, "event": what})
                except Exception:
                    logger.exception("hooks were not run for the change of %s", path)
            again = self._wants_others()
            if not again and not self._missed:
                return

    def _join(self) -> None:
        if running_trio() is not None:
            _join_trio(self)
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            _join_thread(self)
        else:
            _join_asyncio(self, loop)

    def _reloaded(self, client: _native.Client, report: ReloadReport) -> tuple[bool, Awaitable[None] | None]:
        """Reports a reload; gives whether to look once more, and what is to be awaited."""
        # A file that was not watched may have changed between the two.
        again = not self.stopped and self.look(client)
        changed = report.added or report.removed or report.changed or report.kept
        if self._on_reload is None or not changed:
            return again, None
        listening = self._on_reload(report)
        return again, listening if inspect.isawaitable(listening) else None

    async def reload(self) -> None:
        """Reloads on the loop that runs; a failure is logged and leaves the hooks as they are."""
        again = True
        while again and (client := self._client()) is not None and not self.stopped:
            try:
                again, listening = self._reloaded(client, await files.reload(client))
                if listening is not None:
                    await listening
            except Exception:
                again = False
                logger.exception("reloading changed files failed; the hooks in force may be the old ones")

    def reload_blocking(self) -> None:
        """The same on a thread."""
        again = True
        while again and (client := self._client()) is not None and not self.stopped:
            try:
                again, listening = self._reloaded(client, files.reload_sync(client))
                if listening is not None:
                    _close(listening)
                    raise TypeError("on_reload must be synchronous where no event loop runs")
            except Exception:
                again = False
                logger.exception("reloading changed files failed; the hooks in force may be the old ones")


def _close(awaitable: Any) -> None:
    if inspect.iscoroutine(awaitable):
        awaitable.close()


def _join_asyncio(watch: FileWatch, loop: asyncio.AbstractEventLoop) -> None:
    tasks: set[asyncio.Task[None]] = set()
    woken = False

    def wake() -> None:
        nonlocal woken
        watch._queue.take()
        if watch.stopped:
            return
        if tasks:
            woken = True
            return
        task = loop.create_task(watch.attend(), context=watch._context.copy())
        tasks.add(task)
        task.add_done_callback(ended)

    def ended(task: asyncio.Task[None]) -> None:
        nonlocal woken
        tasks.discard(task)
        if woken:
            woken = False
            watch._queue.wake()

    descriptor = watch._queue.fileno()
    loop_reference = weakref.ref(loop)

    def leave() -> None:
        finalizer.detach()
        loop = loop_reference()
        if loop is None:
            return
        try:
            # The closure keeps the queue, and so its descriptor, until it is out of the loop.
            loop.call_soon_threadsafe(lambda: (loop.remove_reader(descriptor), watch)[0])
        except RuntimeError:
            # The loop is closed and watches nothing any more.
            return

    loop.add_reader(descriptor, wake)
    watch._leave = leave
    finalizer = weakref.finalize(loop, watch.stop)
    finalizer.atexit = False


def _join_trio(watch: FileWatch) -> None:
    import trio

    async def look() -> None:
        try:
            while not watch.stopped:
                await trio.lowlevel.wait_readable(watch._queue.fileno())
                watch._queue.take()
                if not watch.stopped:
                    await watch.attend()
        finally:
            watch._leave = lambda: None
            watch.stop()

    trio.lowlevel.spawn_system_task(look, name="hookweave watch", context=watch._context)
    watch._leave = watch._queue.wake


def _join_thread(watch: FileWatch) -> None:
    queue = watch._queue
    reference = weakref.ref(watch, lambda _: queue.wake())

    def look() -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(queue.fileno(), selectors.EVENT_READ)
            while True:
                selector.select()
                queue.take()
                watch = reference()
                if watch is None or watch.stopped:
                    return
                watch._context.run(watch.attend_blocking)
                del watch

    watch._leave = queue.wake
    threading.Thread(target=look, name="hookweave-watch", daemon=True).start()
