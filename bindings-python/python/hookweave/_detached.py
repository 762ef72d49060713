"""Hooks that are started and not awaited."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from time import perf_counter
from typing import Any, Protocol

from . import _logging, _threads, _trio_runner
from ._asyncio_runner import Call, Report, run_threaded
from ._control_flow import is_control_flow
from ._outside_hooks import OutsideHookHandler
from ._running_trio import running_trio
from .outcome import LateAnswer
from .response import HookResponse

__all__ = ["Job", "drain", "drain_blocking"]


class DetachingClient(Protocol):
    """The client of detached hooks."""

    _outstanding: set[Job]
    _late: Callable[[LateAnswer], None] | None

    def _detached_finished(self) -> Any: ...


class Job:
    """A detached hook that runs or waits for its turn; ``done`` is set when it has ended."""

    __slots__ = ("call", "client", "context", "done", "event", "hook", "launch", "loop")

    def __init__(self, client: DetachingClient, event: str, hook: str, call: Call) -> None:
        self.client = client
        self.event = event
        self.hook = hook
        self.call = call
        self.done: Future[None] = Future()
        self.context = contextvars.copy_context()
        self.launch, self.loop = _place()

    def wait(self) -> None:
        """Waits for its turn."""
        self.client._outstanding.add(self)

    def start(self) -> None:
        """Starts the hook where its dispatch ran: on that event loop, or on a thread when there was none."""
        self.client._outstanding.add(self)
        self.begin_by(partial(self.launch, self.loop, self))

    def begin_by(self, begin: Callable[[], object]) -> None:
        """Calls ``begin``; where it fails, the loop of the dispatch is gone or going, and nothing has started."""
        try:
            begin()
        except RuntimeError as error:
            self.end("not_started", error, 0.0)

    def _report(self, value: object, seconds: float) -> None:
        answer = value.to_dict() if isinstance(value, HookResponse) else value
        listener = self.client._late
        if listener is None or not answer or not isinstance(answer, Mapping):
            _logging.detached_ended(self.event, self.hook, answer, seconds)
            return
        handler = self.call[0]
        refuses = answer.get("action") in ("block", "stop")
        wakes = refuses and isinstance(handler, OutsideHookHandler) and handler.hook.wakes
        try:
            listener(LateAnswer(self.hook, self.event, dict(answer), wakes))
        except Exception as error:
            _logging.listener_failed(self.event, self.hook, answer, error)

    def end(self, kind: str, value: object, seconds: float) -> None:
        """Logs a failure, reports an answer, and lets the next waiting hook start."""
        waiting = self._settle(kind, value, seconds)
        # What is cancelled is cancelled because its loop ends: those that wait for that loop would never get to an end.
        while kind == "cancelled" and waiting is not None and waiting.loop is self.loop:
            waiting = waiting._settle("not_started", "the event loop of its dispatch ends", 0.0)
        if waiting is not None:
            waiting.start()

    def _settle(self, kind: str, value: object, seconds: float) -> Job | None:
        """Ends this one; gives the hook whose turn it is now."""
        if kind != "answer":
            _logging.detached_failed(self.event, self.hook, kind, value, seconds)
        else:
            try:
                self._report(value, seconds)
            except Exception as error:
                # Reading the answer may run code of the hook's.
                _logging.detached_failed(self.event, self.hook, "raised", error, seconds)
        self.client._outstanding.discard(self)
        self.done.set_result(None)
        following: Job | None = self.client._detached_finished()
        return following


Run = Callable[[Any, Job], None]


def _place() -> tuple[Run, object]:
    """How to start a job later on the loop that runs now, and that loop."""
    trio = running_trio()
    if trio is not None:
        return _launch_trio, trio.lowlevel.current_trio_token()
    try:
        return _launch_asyncio, asyncio.get_running_loop()
    except RuntimeError:
        return _launch_thread, None


def _launch_asyncio(loop: asyncio.AbstractEventLoop, job: Job) -> None:
    def ended(task: asyncio.Task[None]) -> None:
        _tasks.discard(task)
        if not job.done.done():
            # Cancelled before its first step, of which the coroutine itself learns nothing.
            job.end("cancelled", None, 0.0)

    def create() -> None:
        task = loop.create_task(_on_asyncio(job), context=job.context)
        _tasks.add(task)
        task.add_done_callback(ended)

    if asyncio._get_running_loop() is loop:
        # Not in its next round: the one that ends the loop's program would be too late to be cancelled with the rest.
        create()
    else:
        loop.call_soon_threadsafe(create)


_tasks: set[asyncio.Task[None]] = set()
"""asyncio itself keeps only weak references to tasks."""


async def _on_asyncio(job: Job) -> None:
    handler, event, timeout, in_thread, depth = job.call
    began = perf_counter()
    kind = "answer"
    value: object = None
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            value = await run_threaded(handler, event, depth) if in_thread else handler(event)
            if inspect.isawaitable(value):
                value = await value
    except asyncio.CancelledError as error:
        # A hook may as well have waited for something that was cancelled.
        task = asyncio.current_task()
        kind, value = "cancelled" if task is not None and task.cancelling() else "raised", error
    except BaseException as error:
        if is_control_flow(error):
            raise
        kind, value = "raised", error
    if limit.expired():
        kind, value = "timeout", timeout
    job.end(kind, value, perf_counter() - began)


def _launch_trio(token: Any, job: Job) -> None:
    import trio

    spawn = partial(trio.lowlevel.spawn_system_task, _on_trio, job, context=job.context)
    try:
        is_here = trio.lowlevel.current_trio_token() is token
    except RuntimeError:
        is_here = False
    if is_here:
        spawn()
    else:
        # When its turn comes, the run may have ended, and what is raised there ends the whole program.
        token.run_sync_soon(job.begin_by, spawn)


async def _on_trio(job: Job) -> None:
    began = perf_counter()
    report: Report = ("cancelled", None, 0.0)
    try:
        report = await _trio_runner.run_one(job.call)
    finally:
        job.end(report[0], report[1], perf_counter() - began)


def _launch_thread(loop: None, job: Job) -> None:
    handler, event, _, _, depth = job.call
    began = perf_counter()
    if isinstance(handler, OutsideHookHandler):
        handler = handler.run_sync

    def ended(future: Future[_threads.Result]) -> None:
        worked, value = future.result()
        if worked and inspect.iscoroutine(value):
            value.close()
        if worked and inspect.isawaitable(value):
            worked, value = False, TypeError("a detached hook without an event loop has to be synchronous")
        end = partial(job.end, "answer" if worked else "raised", value, perf_counter() - began)
        try:
            # Not on the hook's own thread: who hears the answer may dispatch, and wait for threads like this one.
            _threads.submit(lambda _: end(), None, 0)
        except RuntimeError:
            end()

    _threads.submit(handler, event, depth).add_done_callback(ended)


async def drain(client: DetachingClient, timeout: float | None) -> bool:
    """Waits until no detached hook runs or waits; False when the time was over first."""
    wait = _wait_asyncio if running_trio() is None else _wait_trio
    ends = None if timeout is None else perf_counter() + timeout
    while client._outstanding:
        left = None if ends is None else ends - perf_counter()
        if left is not None and left <= 0:
            return False
        await wait([job.done for job in client._outstanding], left)
    return True


async def _wait_asyncio(jobs: list[Future[None]], timeout: float | None) -> None:
    waiting: list[Awaitable[None]] = [asyncio.shield(asyncio.wrap_future(job)) for job in jobs]
    await asyncio.wait([asyncio.ensure_future(end) for end in waiting], timeout=timeout)


async def _wait_trio(jobs: list[Future[None]], timeout: float | None) -> None:
    import trio

    token = trio.lowlevel.current_trio_token()
    for job in jobs:
        ended = trio.Event()

        def wake(_: object, ended: trio.Event = ended) -> None:
            try:
                token.run_sync_soon(ended.set)
            except trio.RunFinishedError:
                return

        began = perf_counter()
        job.add_done_callback(wake)
        with trio.move_on_after(float("inf") if timeout is None else timeout):
            await ended.wait()
        if timeout is not None:
            timeout = max(0.0, timeout - (perf_counter() - began))


def drain_blocking(client: DetachingClient, timeout: float) -> bool:
    """The same for callers without a loop; hooks that need this thread's own loop are not waited for."""
    ends = perf_counter() + timeout
    for job in [job for job in client._outstanding if job.launch is _launch_thread]:
        try:
            job.done.result(max(0.0, ends - perf_counter()))
        except TimeoutError:
            return False
    return not client._outstanding
