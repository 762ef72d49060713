"""Cancelling a dispatch, and cancellations that are none of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hookweave import Event, HookClient, HookResponse

from support import new_client, until_async

pytestmark = pytest.mark.memory


def test_cancelling_reaches_the_hook_and_propagates() -> None:
    client = new_client()
    begun = asyncio.Event()
    seen: list[str] = []

    @client.hook("Stop")
    async def slow(event: Event) -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    client.register_hook("Stop", lambda event: seen.append("later"))

    async def main() -> None:
        task = asyncio.create_task(client.dispatch("Stop"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_a_hook_cannot_swallow_the_dispatch_s_cancellation() -> None:
    client = new_client()
    begun = asyncio.Event()

    @client.hook("Stop")
    async def stubborn(event: Event) -> HookResponse:
        begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return HookResponse.block("late")

    async def main() -> None:
        task = asyncio.create_task(client.dispatch("Stop"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_an_outer_timeout_stays_the_outer_s() -> None:
    client = new_client()

    @client.hook("Stop")
    async def slow(event: Event) -> None:
        await asyncio.sleep(3600)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await client.dispatch("Stop")
        task = asyncio.current_task()
        assert task is not None and task.cancelling() == 0
        await asyncio.sleep(0)

    asyncio.run(main())


def test_the_outer_cancel_wins_when_both_come_at_once() -> None:
    client = new_client()

    @client.hook("Stop", timeout=0.02)
    async def slow(event: Event) -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            # The deadline has cancelled; the outer request comes while the hook cleans up.
            outer.cancel()
            await asyncio.sleep(0.01)
            raise

    outer: asyncio.Task[Any]

    async def main() -> None:
        nonlocal outer
        outer = asyncio.create_task(client.dispatch("Stop"))
        with pytest.raises(asyncio.CancelledError):
            await outer
        assert outer.cancelled()

    asyncio.run(main())


def test_a_cancelled_error_that_nobody_asked_for_is_a_failure() -> None:
    client = new_client()

    @client.hook("PreToolUse", fail_behavior="block")
    async def foreign(event: Event) -> None:
        other = asyncio.create_task(asyncio.sleep(3600))
        await asyncio.sleep(0)
        other.cancel()
        await other

    @client.hook("Stop")
    def sync(event: Event) -> None:
        raise asyncio.CancelledError

    async def main() -> tuple[Any, Any]:
        return await client.dispatch("PreToolUse", tool="Bash"), await client.dispatch("Stop")

    gate, notice = asyncio.run(main())
    assert gate.blocked
    assert gate.trace[0].failure.kind == notice.trace[0].failure.kind == "cancelled"
    assert isinstance(gate.trace[0].failure.error.__cause__, asyncio.CancelledError)


def test_a_hook_s_own_timeout_block_is_its_own_affair() -> None:
    client = new_client()

    @client.hook("Stop")
    async def careful(event: Event) -> HookResponse:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(3600)
        except TimeoutError:
            await asyncio.sleep(0)
        return HookResponse.block("gave up")

    async def main() -> Any:
        return await client.dispatch("Stop")

    assert asyncio.run(main()).reason == "gave up"


def test_a_hook_that_cancels_its_own_task_cancels_the_dispatch() -> None:
    client = new_client()

    @client.hook("Stop")
    async def suicidal(event: Event) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(3600)

    async def main() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(client.dispatch("Stop"))

    asyncio.run(main())


def test_dispatching_while_being_cancelled() -> None:
    client = new_client()

    @client.hook("SessionEnd", timeout=0.02)
    async def slow(event: Event) -> None:
        await asyncio.sleep(3600)

    @client.hook("SessionEnd")
    async def brief(event: Event) -> HookResponse:
        await asyncio.sleep(0)
        return HookResponse.block("bye")

    outcomes: list[Any] = []
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            outcomes.append(await client.dispatch("SessionEnd", reason="cancelled"))

    async def main() -> None:
        task = asyncio.create_task(work())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [entry.status for entry in outcomes[0].trace] == ["failed", "ran"]
    assert outcomes[0].trace[0].failure.kind == "timeout"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("is_async", [False, True])
def test_interrupts_are_no_failures(kind: type[BaseException], is_async: bool) -> None:
    client = new_client()

    def sync(event: Event) -> None:
        raise kind

    async def awaited(event: Event) -> None:
        raise kind

    client.register_hook("Stop", awaited if is_async else sync)

    dispatch = client.dispatch("Stop")
    with pytest.raises(kind):
        dispatch.send(None)
    if not is_async:
        with pytest.raises(kind):
            client.dispatch_sync("Stop")


class Outcast(BaseException):
    """As pytest's ``Failed``: outside ``Exception``, and of no runtime."""


class Interrupted(KeyboardInterrupt):
    """A program's own kind of interrupt."""


def ends_with(error: BaseException, is_async: bool) -> Callable[[Event], Any]:
    def sync(event: Event) -> None:
        raise error

    async def awaited(event: Event) -> None:
        await asyncio.sleep(0)
        raise error

    return awaited if is_async else sync


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("in_thread", [False, True])
def test_an_exception_of_the_program_s_own_is_a_failure_of_whatever_base(
    mode: Any, is_async: bool, in_thread: bool
) -> None:
    if is_async and in_thread:
        return
    for error in (Outcast("gone"), BaseExceptionGroup("some", [Outcast("gone"), ValueError()])):
        client = new_client(mode=mode, fail_behavior="block")
        handler = ends_with(error, is_async)
        client.register_hook("PreToolUse", handler, run_in_thread=in_thread)
        client.register_hook("PreToolUse", handler, run_in_thread=in_thread)

        async def main(client: HookClient = client) -> Any:
            return await client.dispatch("PreToolUse", tool="x")

        outcomes = [asyncio.run(main())]
        if not is_async:
            outcomes += [client.dispatch_sync("PreToolUse", tool="x"), trio.run(main)]
        for outcome in outcomes:
            assert outcome.blocked
            failure = outcome.trace[0].failure
            assert failure is not None and failure.kind == "raised" and failure.error.__cause__ is error


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
@pytest.mark.parametrize("is_async", [False, True])
def test_what_ends_the_program_or_the_task_is_no_failure_also_in_a_group(mode: Any, is_async: bool) -> None:
    greenlet = type("GreenletExit", (BaseException,), {"__module__": "greenlet"})
    for error in (
        Interrupted(),
        GeneratorExit(),
        BaseExceptionGroup("some", [ValueError(), BaseExceptionGroup("inner", [Interrupted()])]),
        greenlet(),
    ):
        client = new_client(mode=mode, fail_behavior="block")
        client.register_hook("PreToolUse", ends_with(error, is_async))

        kind = type(error)

        async def main(client: HookClient = client, kind: type[BaseException] = kind) -> None:
            with pytest.raises(kind):
                await client.dispatch("PreToolUse", tool="x")

        asyncio.run(main())
        if not is_async:
            trio.run(main)
            with pytest.raises(kind):
                client.dispatch_sync("PreToolUse", tool="x")


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
def test_a_cancellation_that_a_hook_makes_up_is_its_failure_in_every_mode(mode: Any) -> None:
    client = new_client(mode=mode, fail_behavior="block")
    for _ in range(2):
        client.register_hook("PreToolUse", ends_with(asyncio.CancelledError(), is_async=False))

    async def main() -> Any:
        return await client.dispatch("PreToolUse", tool="x")

    outcome = asyncio.run(main())
    assert outcome.blocked
    assert outcome.trace[0].failure is not None and outcome.trace[0].failure.kind == "cancelled"


def test_cancelling_a_parallel_stage_cancels_and_waits_for_all_of_it() -> None:
    client = new_client(mode="parallel")
    begun: list[int] = []
    ended: list[int] = []

    def slow(number: int) -> Any:
        async def handler(event: Event) -> None:
            begun.append(number)
            try:
                await asyncio.sleep(3600)
            finally:
                await asyncio.sleep(0.01)
                ended.append(number)

        return handler

    for number in range(3):
        client.register_hook("Stop", slow(number))

    async def main() -> None:
        task = asyncio.create_task(client.dispatch("Stop"))
        await until_async(lambda: len(begun) == 3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sorted(ended) == [0, 1, 2]

    asyncio.run(main())


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
def test_trio_cancellation_propagates(mode: Any) -> None:
    client = new_client(mode=mode)
    begun: list[str] = []
    seen: list[str] = []
    running = 2 if mode == "parallel" else 1

    async def slow(event: Event) -> None:
        begun.append("hook")
        try:
            await trio.sleep(3600)
        except trio.Cancelled:
            seen.append("cancelled")
            raise

    client.register_hook("Stop", slow)
    client.register_hook("Stop", slow)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.dispatch, "Stop")
            await until_async(lambda: len(begun) == running)
            nursery.cancel_scope.cancel()
        assert nursery.cancel_scope.cancelled_caught

    trio.run(main)
    assert seen == ["cancelled"] * running
