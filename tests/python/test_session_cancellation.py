"""What is cancelled with what: tools and approvers with their call, subagents with their session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hookweave import (
    Event,
    HookResponse,
    Messages,
    PendingApprovals,
    SessionClosedError,
    SubagentBlockedError,
)

from support import LIMIT, new_client, until_async
from test_loops import LOOPS, pause


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


LS = {"command": "ls"}


def test_cancelling_a_call_cancels_the_tool_on_asyncio() -> None:
    async def main() -> None:
        client = new_client()
        events: list[str] = []

        async def slow(args: dict[str, Any]) -> None:
            events.append("began")
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                events.append("cancelled")
                raise

        client.register_hook("PostToolUse", lambda event: events.append("after"))
        client.register_hook("PostToolUseFailure", lambda event: events.append("failed"))
        session = client.session()
        task = asyncio.create_task(session.run_tool("X", {}, slow))
        await until_async(lambda: events)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert events == ["began", "cancelled"]
        assert (await session.run_tool("Bash", LS, shell)).ok

    asyncio.run(main())


def test_cancelling_a_call_cancels_the_tool_on_trio() -> None:
    async def main() -> None:
        events: list[str] = []

        async def slow(args: dict[str, Any]) -> None:
            scope.cancel()
            try:
                await trio.sleep_forever()
            finally:
                events.append("ended")

        session = new_client().session()
        with trio.CancelScope() as scope:
            await session.run_tool("X", {}, slow)
        assert scope.cancelled_caught and events == ["ended"]

    trio.run(main)


@pytest.mark.parametrize("run", LOOPS)
def test_cancelling_a_call_cancels_the_approver(run: Callable[..., Any]) -> None:
    async def main() -> None:
        approvals = PendingApprovals()
        session = new_client().session(permissions="ask", approval=approvals)
        if "trio" in run.__name__:
            with trio.move_on_after(0.02):
                await session.run_tool("Bash", LS, shell)
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(session.run_tool("Bash", LS, shell), 0.02)
        assert approvals.pending() == []

    run(main)


def test_a_tool_that_is_cancelled_by_itself_has_failed() -> None:
    async def tool(args: dict[str, Any]) -> None:
        task = asyncio.ensure_future(asyncio.sleep(3600))
        task.cancel()
        await task

    async def main() -> None:
        outcome = await new_client().session().run_tool("X", {}, tool)
        assert outcome.ran and not outcome.ok and "cancellation" in str(outcome.error)

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_subagents_end_with_their_session(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
        events: list[tuple[str, str | None]] = []
        for name in ("SubagentStart", "SubagentStop", "SessionEnd", "PostToolUse"):
            client.register_hook(name, lambda event: events.append((event.event_type, event.agent_id)))
        session = client.session()
        one = session.subagent("explore", "one")
        assert (await one.start()).accepted
        two = one.subagent("explore", "two")
        await two.start()
        began, ended = [], []

        async def slow(args: dict[str, Any]) -> None:
            began.append("tool")
            try:
                await pause(3600)
            finally:
                ended.append("tool")

        async def work() -> None:
            with pytest.raises(SessionClosedError, match="two ended with its session"):
                await two.run_tool("X", {}, slow)
            ended.append("work")

        async def end() -> None:
            await until_async(lambda: began)
            await session.end()

        if "trio" in run.__name__:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(work)
                nursery.start_soon(end)
        else:
            await asyncio.gather(work(), end())
        assert ended == ["tool", "work"]
        order = [("SubagentStop", "two"), ("SubagentStop", "one"), ("SessionEnd", None)]
        assert events == [("SubagentStart", "one"), ("SubagentStart", "two"), *order]
        assert one.closed and two.closed
        with pytest.raises(SessionClosedError, match="subagent one has ended"):
            await one.run_tool("X", {}, shell)
        with pytest.raises(SessionClosedError):
            session.subagent("explore")

    run(main)


def test_a_cancelled_session_cancels_its_subagents() -> None:
    async def main() -> None:
        client = new_client()
        began, ended = [], []
        client.register_hook("SubagentStop", lambda event: ended.append("stop hook"))

        async def slow(args: dict[str, Any]) -> None:
            began.append("tool")
            await asyncio.sleep(3600)

        tasks: list[asyncio.Task[Any]] = []

        async def parent() -> None:
            async with client.session() as session:
                child = session.subagent("x", "c")
                await child.start()
                tasks.append(asyncio.create_task(child.run_tool("X", {}, slow)))
                await asyncio.sleep(3600)

        task = asyncio.create_task(parent())
        await until_async(lambda: began)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(SessionClosedError):
            await asyncio.wait_for(tasks[0], LIMIT)
        assert ended == []

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_a_subagent_may_be_refused(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
        client.register_hook("SubagentStart", lambda event: HookResponse.block("not now"))
        session = client.session()
        with pytest.raises(SubagentBlockedError, match="not now") as caught:
            async with session.subagent("explore"):
                raise AssertionError("must not be entered")
        assert caught.value.code == "subagent_blocked" and caught.value.reason == "not now"

    run(main)


def test_a_subagent_may_be_kept_at_work() -> None:
    async def main() -> None:
        client = new_client()
        reasons = ["look again"]

        @client.hook("SubagentStop")
        def keep(event: Event) -> HookResponse | None:
            return HookResponse.block(reasons.pop()) if reasons else None

        session = client.session()
        async with session.subagent("explore") as child:
            stopped = await child.end()
            assert stopped.should_continue and stopped.reason == "look again" and not child.closed
            assert not (await child.end()).should_continue and child.closed
        assert isinstance(session.context, Messages)
        assert [message.content for message in session.context.messages] == ["look again"]

    asyncio.run(main())


def test_a_subagent_that_ends_its_own_session() -> None:
    async def main() -> None:
        client = new_client()
        session = client.session()
        async with session.subagent("explore") as child:

            async def ends(args: dict[str, Any]) -> str:
                await session.end()
                return "ended"

            outcome = await asyncio.wait_for(child.run_tool("X", {}, ends), LIMIT)
            assert outcome.output == "ended"
        assert session.closed and child.closed

    asyncio.run(main())
