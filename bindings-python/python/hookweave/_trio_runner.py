"""The same as ``_asyncio_runner``, on trio: every hook runs inside a cancel scope with its deadline.

A client imports this before it knows of trio. What runs on trio finds it imported.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from . import _threads
from ._asyncio_runner import Call, Report, begin_all
from ._control_flow import is_control_flow
from ._running_trio import running_trio

if TYPE_CHECKING:
    import trio

__all__ = ["in_task", "run_one", "run_stage", "wait"]

T = TypeVar("T")


def in_task() -> bool:
    """Whether the caller runs inside a trio task (in guest mode there may be an asyncio loop around it)."""
    return running_trio() is not None


async def run_threaded(handler: Callable[[Any], Any], event: object, depth: int) -> Any:
    """Runs a blocking handler on a thread; a cancel leaves the thread behind and drops its answer."""
    worked, value = await wait(_threads.submit(handler, event, depth))
    if not worked:
        raise value
    return value


async def wait(future: Future[T]) -> T:
    """The result of something that another thread does; a cancel of the caller cancels the future."""
    import trio

    done = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def wake(_: object) -> None:
        try:
            token.run_sync_soon(done.set)
        except trio.RunFinishedError:
            # The run ended while the future was left behind; nothing waits any more.
            return

    future.add_done_callback(wake)
    try:
        await done.wait()
    finally:
        future.cancel()
    return future.result()


async def _finish(awaitable: Awaitable[Any], timeout: float | None, began: float) -> Report:
    import trio

    report: Report = ("timeout", None, 0.0)
    deadline = inf if timeout is None else trio.current_time() + timeout
    with trio.CancelScope(deadline=deadline) as scope:
        try:
            report = ("answer", await awaitable, 0.0)
        except BaseException as error:
            if is_control_flow(error):
                raise
            report = ("raised", error, 0.0)
    if scope.cancel_called:
        report = ("timeout", None, 0.0)
    return (report[0], report[1], perf_counter() - began)


async def run_one(call: Call) -> Report:
    """Runs one handler, and awaits it if need be."""
    reports, waiting = begin_all([call], run_threaded)
    for index, (awaitable, began) in waiting.items():
        reports[index] = await _finish(awaitable, call[2], began)
    report = reports[0]
    assert report is not None
    return report


async def run_stage(calls: list[Call]) -> list[Report | None]:
    """Runs the handlers of one stage side by side and waits for all of them."""
    import trio

    reports, waiting = begin_all(calls, run_threaded)
    if len(waiting) == 1:
        ((index, (awaitable, began)),) = waiting.items()
        reports[index] = await _finish(awaitable, calls[index][2], began)
    elif waiting:
        ended: list[BaseException] = []
        async with trio.open_nursery() as nursery:

            async def run(
                index: int, awaitable: Awaitable[Any], began: float, task_status: trio.TaskStatus[None]
            ) -> None:
                task_status.started()
                try:
                    reports[index] = await _finish(awaitable, calls[index][2], began)
                except trio.Cancelled:
                    raise
                except BaseException as error:
                    # KeyboardInterrupt and SystemExit leave the stage as they are, not in a group.
                    ended.append(error)
                    nursery.cancel_scope.cancel()

            for index, (awaitable, began) in waiting.items():
                # Not start_soon: trio would begin them in an order of its own.
                await nursery.start(run, index, awaitable, began)
        if ended:
            raise ended[0]
    return reports
