"""What the awaitable of a dispatch hands to Python: blocking handlers and parallel stages, on asyncio.

A call is ``(handler, event, timeout, in_thread, depth)``; a report is ``(kind, value, seconds)`` where kind is
``answer`` (value: what the handler returned), ``raised`` (the exception), ``timeout`` or ``cancelled``.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, TypeAlias

from . import _threads
from ._control_flow import is_control_flow

__all__ = ["Call", "Report", "run_stage", "run_threaded", "start"]

Call: TypeAlias = tuple[Callable[[Any], Any], object, float | None, bool, int]
Report: TypeAlias = tuple[str, Any, float]


async def run_threaded(handler: Callable[[Any], Any], event: object, depth: int) -> Any:
    """Runs a blocking handler on a thread; a cancel leaves the thread behind and drops its answer."""
    worked, value = await asyncio.wrap_future(_threads.submit(handler, event, depth))
    if not worked:
        raise value
    return value


def start(call: Call, threaded: Callable[[Callable[[Any], Any], object, int], Awaitable[Any]]) -> Any:
    """Calls a handler: gives its answer, or something to await."""
    handler, event, _, in_thread, depth = call
    return threaded(handler, event, depth) if in_thread else handler(event)


def begin_all(
    calls: list[Call], threaded: Callable[[Callable[[Any], Any], object, int], Awaitable[Any]]
) -> tuple[list[Report | None], dict[int, tuple[Awaitable[Any], float]]]:
    """Calls every handler in order; gives the reports of those that are done and what to await of the others."""
    reports: list[Report | None] = [None] * len(calls)
    waiting: dict[int, tuple[Awaitable[Any], float]] = {}
    try:
        for index, call in enumerate(calls):
            began = perf_counter()
            try:
                result = start(call, threaded)
            except asyncio.CancelledError as error:
                # No cancel request arrives where nothing is awaited.
                reports[index] = ("cancelled", error, perf_counter() - began)
                continue
            except BaseException as error:
                if is_control_flow(error):
                    raise
                reports[index] = ("raised", error, perf_counter() - began)
                continue
            if inspect.isawaitable(result):
                waiting[index] = (result, began)
            else:
                reports[index] = ("answer", result, perf_counter() - began)
    except BaseException:
        for awaitable, _ in waiting.values():
            if inspect.iscoroutine(awaitable):
                awaitable.close()
        raise
    return reports, waiting


async def _finish(awaitable: Awaitable[Any], timeout: float | None, began: float) -> Report:
    """Awaits one handler within its timeout; raises only what is not the hook's own affair."""
    task = asyncio.current_task()
    requests = task.cancelling() if task else 0
    limit = asyncio.timeout(timeout)
    report: Report
    try:
        async with limit:
            report = ("answer", await awaitable, 0.0)
    except asyncio.CancelledError as error:
        if task and task.cancelling() > requests:
            raise
        report = ("cancelled", error, 0.0)
    except BaseException as error:
        if is_control_flow(error):
            raise
        report = ("raised", error, 0.0)
    if limit.expired():
        report = ("timeout", None, 0.0)
    return (report[0], report[1], perf_counter() - began)


async def run_stage(calls: list[Call]) -> list[Report | None]:
    """Runs the handlers of one stage side by side and waits for all of them."""
    reports, waiting = begin_all(calls, run_threaded)
    if len(waiting) == 1:
        ((index, (awaitable, began)),) = waiting.items()
        reports[index] = await _finish(awaitable, calls[index][2], began)
    elif waiting:
        tasks = {
            index: asyncio.create_task(_finish(awaitable, calls[index][2], began))
            for index, (awaitable, began) in waiting.items()
        }
        await _wait_all(list(tasks.values()))
        for index, task in tasks.items():
            reports[index] = task.result()
    return reports


async def _wait_all(tasks: list[asyncio.Task[Report]]) -> None:
    """Waits until every task has ended, also when the dispatch is cancelled meanwhile; then that continues."""
    cancel: asyncio.CancelledError | None = None
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cancel = error
            for task in tasks:
                task.cancel()
    if cancel is not None:
        for task in tasks:
            # Retrieves what the tasks ended with, so that asyncio does not report it as lost.
            if not task.cancelled():
                task.exception()
        raise cancel
