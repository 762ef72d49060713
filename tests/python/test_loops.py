"""Dispatching on asyncio, uvloop and trio, in every way that a coroutine can be run there."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import pytest
import trio
from hookweave import Event, HookClient, HookResponse, Outcome

from support import LIMIT, new_client

pytestmark = pytest.mark.memory


def on_asyncio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(main())


def on_uvloop(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    uvloop = pytest.importorskip("uvloop")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


def on_trio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return trio.run(main)


LOOPS = [on_asyncio, on_uvloop, on_trio]


async def pause(seconds: float = 0) -> None:
    if "trio" in sys.modules and trio.lowlevel.in_trio_task():
        await trio.sleep(seconds)
    else:
        await asyncio.sleep(seconds)


@pytest.mark.parametrize("run", LOOPS)
def test_sync_and_async_handlers_in_order(run: Callable[..., Any]) -> None:
    client = new_client()
    seen: list[str] = []

    @client.hook("PreToolUse")
    def first(event: Event) -> None:
        seen.append("first")

    @client.hook("PreToolUse")
    async def second(event: Event) -> HookResponse:
        await pause()
        seen.append("second")
        return HookResponse.block("no")

    @client.hook("PreToolUse")
    async def third(event: Event) -> None:
        seen.append("third")

    async def main() -> Outcome[Any]:
        return await client.dispatch("PreToolUse", tool="Bash", args={})

    outcome = run(main)
    assert (outcome.decision, outcome.blocked, outcome.reason) == ("block", True, "no")
    assert seen == ["first", "second"]
    assert [entry.status for entry in outcome.trace] == ["ran", "ran", "skipped"]


class CallableObject:
    async def __call__(self, event: Event) -> dict[str, Any]:
        return {"action": "continue", "reason": "object"}


class Method:
    async def handle(self, event: Event) -> dict[str, Any]:
        return {"action": "continue", "reason": "method"}


class AwaitableAnswer:
    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return {"action": "block", "reason": "awaitable"}


async def with_arguments(word: str, event: Event) -> dict[str, Any]:
    return {"action": "continue", "reason": word}


def test_everything_callable_is_a_handler() -> None:
    client = new_client()
    future: asyncio.Future[Any]

    async def main() -> list[str | None]:
        nonlocal future
        future = asyncio.get_running_loop().create_future()
        future.set_result({"action": "allow", "reason": "future"})
        client.register_hook("PreToolUse", CallableObject())
        client.register_hook("PreToolUse", Method().handle)
        client.register_hook("PreToolUse", partial(with_arguments, "partial"))
        client.register_hook("PreToolUse", lambda event: future)
        client.register_hook("PreToolUse", lambda event: AwaitableAnswer())
        outcome = await client.dispatch("PreToolUse", tool="x")
        return [entry.reason for entry in outcome.trace]

    assert asyncio.run(main()) == ["object", "method", "partial", "future", "awaitable"]


def test_a_dispatch_is_a_coroutine_to_asyncio() -> None:
    client = new_client()
    client.register_hook("Stop", CallableObject())

    async def main() -> None:
        dispatch = client.dispatch("Stop")
        assert asyncio.iscoroutine(dispatch)
        assert inspect.isawaitable(dispatch)
        assert (await asyncio.create_task(dispatch)).decision == "continue"
        both = await asyncio.gather(client.dispatch("Stop"), client.dispatch("Stop"))
        assert [outcome.decision for outcome in both] == ["continue", "continue"]
        assert (await asyncio.wait_for(client.dispatch("Stop"), LIMIT)).decision == "continue"
        assert (await asyncio.shield(client.dispatch("Stop"))).decision == "continue"
        async with asyncio.TaskGroup() as group:
            task = group.create_task(client.dispatch("Stop"))
        assert task.result().decision == "continue"

    asyncio.run(main())


def test_a_dispatch_is_a_coroutine_to_trio() -> None:
    client = new_client()
    ran: list[int] = []
    client.register_hook("Stop", lambda event: ran.append(1))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.dispatch, "Stop")
            nursery.start_soon(partial(client.dispatch, "Stop", status="done"))

    trio.run(main)
    assert ran == [1, 1]


def test_driven_by_hand() -> None:
    client = new_client()

    @client.hook("Stop")
    async def handler(event: Event) -> dict[str, Any]:
        class Once:
            def __await__(self) -> Any:
                return (yield "yielded")

        return {"action": "continue", "reason": await Once()}

    dispatch = client.dispatch("Stop")
    assert dispatch.send(None) == "yielded"
    with pytest.raises(StopIteration) as stopped:
        dispatch.send("sent")
    assert stopped.value.value.trace[0].reason == "sent"
    with pytest.raises(RuntimeError, match="awaited already"):
        dispatch.send(None)


def test_a_value_cannot_be_sent_before_the_beginning() -> None:
    client = new_client()
    dispatch = client.dispatch("Stop")
    with pytest.raises(TypeError, match="has not begun"):
        dispatch.send(1)


def test_closing_closes_the_hook() -> None:
    client = new_client()
    closed: list[str] = []

    @client.hook("Stop")
    async def handler(event: Event) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            closed.append("hook")

    async def main() -> None:
        dispatch = client.dispatch("Stop")
        dispatch.send(None)
        dispatch.close()
        dispatch.close()

    asyncio.run(main())
    assert closed == ["hook"]


def test_a_dispatch_in_use_is_not_resumed_by_its_own_hook() -> None:
    client = new_client()
    dispatch: Any = None

    @client.hook("Stop")
    def handler(event: Event) -> None:
        dispatch.send(None)

    dispatch = client.dispatch("Stop")
    with pytest.raises(StopIteration) as stopped:
        dispatch.send(None)
    failure = stopped.value.value.trace[0].failure
    assert failure is not None and "running already" in failure.message


def test_a_forgotten_await_is_warned_about() -> None:
    client = new_client()
    with pytest.warns(RuntimeWarning, match="dispatch of PreToolUse was never awaited"):
        client.dispatch("PreToolUse", tool="Bash")
    dispatch = client.dispatch("PreToolUse")
    with pytest.raises(AttributeError, match=r"it has not run; write `\(await client\.dispatch\(…\)\)\.blocked`"):
        dispatch.blocked  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'bloked'$"):
        dispatch.bloked  # type: ignore[attr-defined]  # noqa: B018
    dispatch.close()


@pytest.mark.parametrize("run", LOOPS)
def test_many_dispatches_at_once(run: Callable[..., Any]) -> None:
    client = new_client()

    @client.hook("PreToolUse")
    async def handler(event: Any) -> dict[str, Any]:
        await pause(0.001)
        return {"action": "continue", "reason": str(event.args["n"])}

    async def main() -> list[str | None]:
        reasons: list[str | None] = [None] * 200

        async def dispatch(n: int) -> None:
            reasons[n] = (await client.dispatch("PreToolUse", tool="x", args={"n": n})).trace[0].reason

        if run is on_trio:
            async with trio.open_nursery() as nursery:
                for n in range(200):
                    nursery.start_soon(dispatch, n)
        else:
            await asyncio.gather(*map(dispatch, range(200)))
        return reasons

    assert run(main) == [str(n) for n in range(200)]


def test_trio_in_guest_mode_on_asyncio() -> None:
    client = HookClient(default_timeout=0.05)

    @client.hook("Stop")
    async def handler(event: Event) -> None:
        await trio.sleep(3600)

    async def main() -> Any:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        trio.lowlevel.start_guest_run(
            inside,
            run_sync_soon_threadsafe=asyncio.get_running_loop().call_soon_threadsafe,
            done_callback=lambda outcome: done.set_result(outcome.unwrap()),
        )
        return await done

    async def inside() -> Any:
        return await client.dispatch("Stop")

    failure = asyncio.run(main()).trace[0].failure
    assert failure.kind == "timeout"


@pytest.mark.parametrize("run", LOOPS)
def test_versions_of_trio_without_in_trio_task(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(trio.lowlevel, "in_trio_task")
    monkeypatch.delattr(trio.lowlevel, "in_trio_run")
    client = new_client()
    sleep = trio.sleep if run is on_trio else asyncio.sleep

    @client.hook("Stop", detached=True)
    async def later(event: Event) -> None:
        await sleep(0)

    @client.hook("PreToolUse")
    async def guard(event: Event) -> HookResponse:
        await sleep(0)
        return HookResponse.block("no")

    async def main() -> tuple[str | None, bool, bool]:
        outcome = await client.dispatch("PreToolUse", tool="Bash", args={})
        await client.dispatch("Stop")
        ended = await client.session().run_tool("Bash", {}, lambda args: "ran")
        return outcome.reason, ended.ran, await client.drain(LIMIT)

    assert run(main) == ("no", False, True)


def awaited_result(make: Callable[[], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        return await make()

    return asyncio.run(main())


def test_eager_tasks() -> None:
    factory = getattr(asyncio, "eager_task_factory", None)
    if factory is None:
        pytest.skip("eager tasks came with Python 3.12")
    client = HookClient(default_timeout=0.02)

    @client.hook("Stop")
    async def handler(event: Event) -> None:
        await asyncio.sleep(3600)

    async def main() -> Any:
        asyncio.get_running_loop().set_task_factory(factory)
        return await asyncio.create_task(client.dispatch("Stop"))

    assert asyncio.run(main()).trace[0].failure.kind == "timeout"
