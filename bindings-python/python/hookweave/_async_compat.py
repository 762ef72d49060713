"""What differs between asyncio and trio, for code that runs on both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import CancelledError, Future
from typing import Any, NoReturn, TypeVar

from . import _native, _trio_runner
from ._running_trio import running_trio

__all__ = ["Scope", "ScopeAbortedError", "finish", "sleep", "wait", "within"]

T = TypeVar("T")


class ScopeAbortedError(Exception):
    """A scope was ended from elsewhere."""


def current_task() -> object:
    """The task that is running."""
    trio = running_trio()
    return asyncio.current_task() if trio is None else trio.lowlevel.current_task()


async def sleep(seconds: float) -> None:
    """Lets time pass."""
    trio = running_trio()
    await (asyncio.sleep(seconds) if trio is None else trio.sleep(seconds))


def raise_unless_asked(error: asyncio.CancelledError, before: int | None) -> NoReturn:
    """Goes on with a cancellation; one that was not requested since ``before`` is a failure like any other."""
    now = _native.cancel_requests()
    if before is None or now is None or now > before:
        raise error
    raise CancelledError("it ended in a cancellation that was not requested") from error


async def finish(awaitable: Awaitable[T]) -> T:
    """Awaits; a cancellation that was not requested of the caller is a failure like any other."""
    before = _native.cancel_requests()
    try:
        return await awaitable
    except asyncio.CancelledError as error:
        raise_unless_asked(error, before)


async def within(seconds: float, awaitable: Awaitable[T]) -> tuple[bool, T | None]:
    """``(True, value)``, or ``(False, None)`` when the time is over; what is awaited is cancelled then."""
    trio = running_trio()
    if trio is not None:
        value: T | None = None
        with trio.move_on_after(seconds) as scope:
            value = await awaitable
        return (False, None) if scope.cancelled_caught else (True, value)
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return (True, await finish(awaitable))
    except TimeoutError:
        if not limit.expired():
            raise
    return (False, None)


async def wait(future: Future[T]) -> T:
    """The result of something that another thread does; a cancel of the caller cancels the future."""
    if running_trio() is None:
        return await asyncio.wrap_future(future)
    return await _trio_runner.wait(future)


class Scope:
    """Something awaited that can be ended from another task; who awaited it gets :class:`ScopeAbortedError` then."""

    __slots__ = ("_end", "_task", "ended")

    def __init__(self) -> None:
        self._task = current_task()
        self._end: Any = None
        self.ended: Future[None] = Future()
        # A caller that waits for the end and is cancelled must not cancel it.
        self.ended.set_running_or_notify_cancel()

    async def run(self, awaitable: Awaitable[T]) -> T:
        """Awaits; is called once, by the task that made the scope."""
        try:
            return await (self._run_asyncio(awaitable) if running_trio() is None else self._run_trio(awaitable))
        finally:
            self.ended.set_result(None)

    async def _run_asyncio(self, awaitable: Awaitable[T]) -> T:
        loop = asyncio.get_running_loop()
        limit = asyncio.timeout(None)

        def expire() -> None:
            if not self.ended.done() and not limit.expired():
                limit.reschedule(loop.time())

        self._end = lambda: loop.call_soon_threadsafe(expire)
        try:
            async with limit:
                return await awaitable
        except TimeoutError:
            if not limit.expired():
                raise
        raise ScopeAbortedError

    async def _run_trio(self, awaitable: Awaitable[T]) -> T:
        trio = running_trio()
        token = trio.lowlevel.current_trio_token()
        with trio.CancelScope() as scope:
            self._end = lambda: token.run_sync_soon(scope.cancel)
            return await awaitable
        raise ScopeAbortedError

    def is_own(self) -> bool:
        """Whether the running task is the one that would be ended."""
        return self._task is current_task()

    def end(self) -> None:
        """Cancels what is awaited, from any thread."""
        if self._end is not None and not self.ended.done():
            self._end()
