"""Commands, webhooks and hosted questions as handlers: started on the core's threads, awaited on the caller's loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import weakref
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _green, _native, _threads

if TYPE_CHECKING:
    from .client import HookClient

__all__ = ["Answerer", "Broken", "NativeHandler"]

Letter: TypeAlias = tuple[bool, Any]
"""``(True, answer)`` or ``(False, exception)``."""

Answerer: TypeAlias = Callable[[dict[str, Any]], Awaitable[Any] | Any]
"""Answers a hosted question; see :meth:`HookClient.set_judge`."""


class Broken(Exception):
    """A native hook's failure on its way to the driver, which puts it into the trace; nobody else sees it."""

    def __init__(self, kind: str, message: str, restricts: bool) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.restricts = restricts


def _open(letter: Letter) -> Any:
    worked, value = letter
    if not worked:
        raise value
    return value


class NativeHandler:
    """What a client calls for a hook that a file declares."""

    __slots__ = ("_client", "hook")

    def __init__(self, client: HookClient, hook: _native.NativeHook) -> None:
        self._client = weakref.ref(client)
        self.hook = hook

    def __call__(self, event: Any) -> Awaitable[Any]:
        return self._ask(event) if self.hook.hosted else _wait(self.hook, event)

    def begin(self, event: Any) -> _native.Begun | _green.Begun:
        """Starts the hook for a thread that does other things before it waits."""
        box = _green.mailbox()
        return self.hook.begin(event) if box is None else _green.Begun(self.hook, event, box)

    def finish(self, begun: _native.Begun | _green.Begun) -> Any:
        """Waits for a hook that was begun."""
        return _open(begun.wait())

    def run_sync(self, event: Any) -> Any:
        """Runs the hook, and waits for it on the caller's thread."""
        if not self.hook.hosted:
            return self.finish(self.begin(event))
        answerer = self._answerer()
        if answerer is None:
            return _open(self.hook.unanswered(event))
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
            return _open(self.hook.unanswered(event))
        answer = answerer(self.hook.question(event))
        if inspect.isawaitable(answer):
            answer = await answer
        return self._read(event, answer)

    def _read(self, event: Any, answer: Any) -> Any:
        try:
            text = json.dumps(answer, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the answer to a hook's question must be JSON: {error}") from error
        return _open(self.hook.answered(event, text))


async def _wait(hook: _native.NativeHook, event: Any) -> Any:
    """Starts a hook and waits for it where the caller runs; a cancel kills it."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        return _open(await _wait_trio(hook, event))
    loop = asyncio.get_running_loop()
    try:
        mailbox = _mailboxes.get(loop) or _new_mailbox(loop)
    except OSError:
        return await _wait_thread(hook, event)
    try:
        return _open(await mailbox.wait(loop, hook, event))
    except NotImplementedError:
        # A loop that watches no descriptors.
        return await _wait_thread(hook, event)


async def _wait_thread(hook: _native.NativeHook, event: Any) -> Any:
    begun = hook.begin(event)
    worked, letter = await asyncio.wrap_future(_threads.submit(lambda _: begun.wait(), event, 0))
    if not worked:
        raise letter
    return _open(letter)


async def _wait_trio(hook: _native.NativeHook, event: Any) -> Letter:
    import trio

    mailbox = _native.Mailbox()
    job = hook.start(event, mailbox, 0)
    try:
        while True:
            await trio.lowlevel.wait_readable(mailbox.fileno())
            for _, letter in mailbox.take():
                return letter
    except BaseException:
        if job is not None:
            job.cancel()
        raise


class _Mailbox:
    """The native hooks that one asyncio loop waits for; the loop watches it only while there are any."""

    __slots__ = ("_box", "_process", "_tickets", "_waiting")

    def __init__(self) -> None:
        self._box = _native.Mailbox()
        self._process = os.getpid()
        self._waiting: dict[int, asyncio.Future[Letter]] = {}
        self._tickets = 0

    async def wait(self, loop: asyncio.AbstractEventLoop, hook: _native.NativeHook, event: Any) -> Letter:
        if not self._waiting:
            loop.add_reader(self._box.fileno(), self._deliver)
        self._tickets += 1
        ticket = self._tickets
        future: asyncio.Future[Letter] = loop.create_future()
        self._waiting[ticket] = future
        job = None
        try:
            job = hook.start(event, self._box, ticket)
            return await future
        except BaseException:
            if job is not None:
                job.cancel()
            raise
        finally:
            del self._waiting[ticket]
            # A forked child shares what its parent's loop watches, and must not take anything out of it.
            if not self._waiting and not loop.is_closed() and self._process == os.getpid():
                loop.remove_reader(self._box.fileno())

    def _deliver(self) -> None:
        for ticket, letter in self._box.take():
            future = self._waiting.get(ticket)
            if future is not None and not future.done():
                future.set_result(letter)


_mailboxes: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Mailbox] = weakref.WeakKeyDictionary()


def _new_mailbox(loop: asyncio.AbstractEventLoop) -> _Mailbox:
    # A closed loop may wait long for the garbage collector, and its mailbox holds two descriptors.
    for known in list(_mailboxes):
        if known.is_closed():
            _mailboxes.pop(known, None)
    mailbox = _mailboxes[loop] = _Mailbox()
    return mailbox


def _forget_mailboxes() -> None:
    """A forked child must not take what its parent's hooks left."""
    global _mailboxes
    _mailboxes = weakref.WeakKeyDictionary()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_mailboxes)
