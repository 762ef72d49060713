"""Commands, webhooks and hosted questions as handlers: started on the core's threads, awaited on the caller's loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from . import _greenlets, _native, _threads
from ._running_trio import running_trio

__all__ = ["Answerer", "OutsideHookError", "OutsideHookHandler"]

Completion: TypeAlias = tuple[bool, Any]
"""``(True, answer)`` or ``(False, exception)``."""

Answerer: TypeAlias = Callable[[dict[str, Any]], Awaitable[Any] | Any]
"""Answers a hosted question; see :meth:`HookClient.set_judge`."""


class AnsweringClient(Protocol):
    """The client of hooks that the host answers: a model or a tool of its own."""

    _judge: Answerer | None
    _tool_caller: Answerer | None


class OutsideHookError(Exception):
    """The failure of an outside hook on its way to the driver, which puts it into the trace; internal."""

    def __init__(self, kind: str, message: str, restricts: bool) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.restricts = restricts


def _value(completion: Completion) -> Any:
    worked, value = completion
    if not worked:
        raise value
    return value


class _BegunInGreenlet:
    """An outside hook that a greenlet has begun; dropping it kills the hook."""

    __slots__ = ("_job", "_queue")

    def __init__(self, hook: _native.OutsideHook, event: Any, queue: _native.CompletionQueue) -> None:
        self._queue = queue
        self._job = hook.start(event, queue, 0)

    def wait(self) -> Completion:
        """Waits for the hook."""
        while True:
            _greenlets.wait_readable(self._queue)
            for _, completion in self._queue.take():
                self._job = None
                return completion

    def __del__(self) -> None:
        job = getattr(self, "_job", None)
        if job is not None:
            job.cancel()


class OutsideHookHandler:
    """What a client calls for an outside hook."""

    __slots__ = ("_client", "hook")

    def __init__(self, client: AnsweringClient, hook: _native.OutsideHook) -> None:
        self._client = weakref.ref(client)
        self.hook = hook

    def __call__(self, event: Any) -> Awaitable[Any]:
        return self._ask(event) if self.hook.hosted else _wait(self.hook, event)

    def begin(self, event: Any) -> _native.BegunOutsideHook | _BegunInGreenlet:
        """Starts the hook for a thread that does other things before it waits."""
        queue = _greenlets.completion_queue()
        return self.hook.begin(event) if queue is None else _BegunInGreenlet(self.hook, event, queue)

    def finish(self, begun: _native.BegunOutsideHook | _BegunInGreenlet) -> Any:
        """Waits for a hook that was begun."""
        return _value(begun.wait())

    def run_sync(self, event: Any) -> Any:
        """Runs the hook, and waits for it on the caller's thread."""
        if not self.hook.hosted:
            return self.finish(self.begin(event))
        answerer = self._answerer()
        if answerer is None:
            return _value(self.hook.unanswered(event))
        answer = answerer(self.hook.question(event))
        if inspect.isawaitable(answer):
            # The driver closes it and says that dispatch_sync cannot await.
            return answer
        return self._read(event, answer)

    def _answerer(self) -> Answerer | None:
        client = self._client()
        if client is None:
            return None
        return client._tool_caller if self.hook.wants_tool else client._judge

    async def _ask(self, event: Any) -> Any:
        answerer = self._answerer()
        if answerer is None:
            return _value(self.hook.unanswered(event))
        answer = answerer(self.hook.question(event))
        if inspect.isawaitable(answer):
            answer = await answer
        return self._read(event, answer)

    def _read(self, event: Any, answer: Any) -> Any:
        try:
            text = json.dumps(answer, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the answer to a hook's question must be JSON: {error}") from error
        return _value(self.hook.answered(event, text))


async def _wait(hook: _native.OutsideHook, event: Any) -> Any:
    """Starts a hook and waits for it where the caller runs; a cancel kills it."""
    if running_trio() is not None:
        return _value(await _wait_trio(hook, event))
    loop = asyncio.get_running_loop()
    try:
        completions = _loop_completions.get(loop) or _watch_completions(loop)
    except OSError:
        return await _wait_thread(hook, event)
    try:
        return _value(await completions.wait(loop, hook, event))
    except NotImplementedError:
        # A loop that watches no descriptors.
        return await _wait_thread(hook, event)


async def _wait_thread(hook: _native.OutsideHook, event: Any) -> Any:
    begun = hook.begin(event)
    worked, result = await asyncio.wrap_future(_threads.submit(lambda _: begun.wait(), event, 0))
    if not worked:
        raise result
    return _value(result)


async def _wait_trio(hook: _native.OutsideHook, event: Any) -> Completion:
    import trio

    queue = _native.CompletionQueue()
    job = hook.start(event, queue, 0)
    try:
        while True:
            await trio.lowlevel.wait_readable(queue.fileno())
            for _, completion in queue.take():
                return completion
    except BaseException:
        if job is not None:
            job.cancel()
        raise


class _LoopCompletions:
    """The outside hooks that one asyncio loop waits for; the loop watches it only while there are any."""

    __slots__ = ("_process", "_queue", "_tickets", "_waiting")

    def __init__(self) -> None:
        self._queue = _native.CompletionQueue()
        self._process = os.getpid()
        self._waiting: dict[int, asyncio.Future[Completion]] = {}
        self._tickets = 0

    async def wait(self, loop: asyncio.AbstractEventLoop, hook: _native.OutsideHook, event: Any) -> Completion:
        if not self._waiting:
            loop.add_reader(self._queue.fileno(), self._deliver)
        self._tickets += 1
        ticket = self._tickets
        future: asyncio.Future[Completion] = loop.create_future()
        self._waiting[ticket] = future
        job = None
        try:
            job = hook.start(event, self._queue, ticket)
            return await future
        except BaseException:
            if job is not None:
                job.cancel()
            raise
        finally:
            del self._waiting[ticket]
            # A forked child shares what its parent's loop watches, and must not take anything out of it.
            if not self._waiting and not loop.is_closed() and self._process == os.getpid():
                loop.remove_reader(self._queue.fileno())

    def _deliver(self) -> None:
        for ticket, completion in self._queue.take():
            future = self._waiting.get(ticket)
            if future is not None and not future.done():
                future.set_result(completion)


_loop_completions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopCompletions] = weakref.WeakKeyDictionary()


def _watch_completions(loop: asyncio.AbstractEventLoop) -> _LoopCompletions:
    # A closed loop may wait long for the garbage collector, and its queue holds two descriptors.
    for known in list(_loop_completions):
        if known.is_closed():
            _loop_completions.pop(known, None)
    completions = _loop_completions[loop] = _LoopCompletions()
    return completions


def _forget_completions() -> None:
    """A forked child must not take the completions of its parent's hooks."""
    global _loop_completions
    _loop_completions = weakref.WeakKeyDictionary()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_completions)
