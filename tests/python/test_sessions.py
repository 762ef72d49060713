"""What vectors of sessions cannot say: cancellation, threads, terminals, types of the host's own."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hookweave import (
    ApprovalRequest,
    ClientClosed,
    DefinitionError,
    Event,
    HookClient,
    HookResponse,
    InvalidMatcherError,
    InvalidOptionError,
    Messages,
    ModelRequest,
    ModelResponse,
    NoModelError,
    PayloadError,
    PendingApprovals,
    SessionClosed,
    SubagentBlocked,
    ToolCall,
    ToolContext,
    ToolFailed,
    ToolResult,
    UnknownApprovalError,
    UnknownToolError,
)

from test_loops import LOOPS, pause


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


LS = {"command": "ls"}


@pytest.mark.parametrize("run", LOOPS)
def test_a_whole_conversation(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = HookClient()

        @client.hook("PreToolUse", matcher={"tool": "Bash"})
        async def guard(event: Event) -> HookResponse | None:
            await pause()
            return HookResponse.block("no rm") if "rm" in event.args["command"] else None

        async with client.session(cwd="/work") as session:
            assert (await session.submit_prompt("hello")).accepted
            good = await session.run_tool("Bash", LS, shell)
            bad = await session.run_tool("Bash", {"command": "rm -rf /"}, shell)
        assert (good.ran, good.ok, good.output, good.attempts) == (True, True, "ran ls", 1)
        assert (bad.ran, bad.decision, bad.reason, bad.by) == (False, "block", "no rm", "guard")
        assert bad.output is None and bad.result is None
        assert [entry.hook for entry in good.trace] == ["guard"]
        assert [one.event.event_type for one in good.outcomes] == ["PreToolUse", "PostToolUse"]
        assert session.closed
        with pytest.raises(SessionClosed, match="has ended") as caught:
            await session.run_tool("Bash", LS, shell)
        assert caught.value.code == "session_closed"
        assert isinstance(session.context, Messages)
        assert [message.content for message in session.context.messages] == ["hello"]

    run(main)


# Tools


def test_a_tool_may_take_a_context() -> None:
    seen: list[ToolContext] = []

    async def with_context(args: dict[str, Any], context: ToolContext) -> str:
        seen.append(context)
        return "done"

    def with_default(args: dict[str, Any], timeout: float = 3.0) -> float:
        return timeout

    def named(args: dict[str, Any], context: ToolContext | None = None) -> bool:
        return context is not None

    async def main() -> None:
        client = HookClient()
        client.register_hook("SessionStart", lambda event: {"ext": {"claude-code": {"env": {"A": "1"}}}})
        async with client.session("s-1") as session:
            assert session.env == {"A": "1"}
            outcome = await session.run_tool("X", {}, with_context, tool_use_id="t-1")
            assert outcome.output == "done" and outcome.tool_use_id == "t-1" and outcome.tool == "X"
            assert (await session.run_tool("X", {}, with_default)).output == 3.0
            assert (await session.run_tool("X", {}, named)).output is True
            assert (await session.run_tool("X", {}, dict)).output == {}
        assert (seen[0].tool, seen[0].tool_use_id, seen[0].env) == ("X", "t-1", {"A": "1"})
        assert seen[0].session is session

    asyncio.run(main())


def test_what_a_tool_raises_is_the_cause() -> None:
    client = HookClient()
    boom = ValueError("boom")

    def fails(args: dict[str, Any]) -> None:
        raise boom

    def silent(args: dict[str, Any]) -> None:
        raise KeyboardInterrupt if False else LookupError

    async def main() -> None:
        session = client.session()
        outcome = await session.run_tool("X", {}, fails)
        assert isinstance(outcome.error, ToolFailed) and str(outcome.error) == "boom"
        assert outcome.error.__cause__ is boom and outcome.error.code == "tool_failed"
        assert outcome.result is not None and outcome.result["success"] is False and outcome.output == "boom"
        assert str((await session.run_tool("X", {}, silent)).error) == "LookupError"
        told = await session.run_tool("X", {}, lambda args: ToolResult({"why": 1}, success=False, exit_code=2))
        assert str(told.error) == '{"why":1}' and told.error is not None and told.error.__cause__ is None
        assert told.result is not None and told.result["exit_code"] == 2 and told.output == {"why": 1}

    asyncio.run(main())


def test_the_cause_is_that_of_the_last_run() -> None:
    client = HookClient()
    runs = 0

    @client.hook("PostToolUseFailure")
    def again(event: Event) -> HookResponse:
        return HookResponse.retry()

    def flaky(args: dict[str, Any]) -> str:
        nonlocal runs
        args["command"] = "changed by the tool"
        runs += 1
        if runs < 3:
            raise RuntimeError(f"run {runs}")
        return "at last"

    async def main() -> None:
        outcome = await client.session().run_tool("X", LS, flaky)
        assert (outcome.ok, outcome.output, outcome.attempts, outcome.error) == (True, "at last", 3, None)
        # What a tool does to its arguments is its own affair.
        assert outcome.args == LS

    asyncio.run(main())


def test_unknown_tools_and_models_are_named() -> None:
    async def main() -> None:
        client = HookClient()
        client.register_tool("Read", lambda args: "text")
        with pytest.raises(UnknownToolError, match="no tool `Bash` is registered; known are: Read"):
            await client.execute_tool("s", "Bash", {})
        with pytest.raises(NoModelError, match="register_model"):
            await client.generate("s", "hello")
        assert (await client.execute_tool("s", "Read", {})).output == "text"
        with pytest.raises(TypeError, match="not callable"):
            client.register_tool("Read", "text")  # type: ignore[arg-type]

    asyncio.run(main())


def test_sessions_are_found_by_id() -> None:
    async def main() -> None:
        client = HookClient()
        client.register_tool("Bash", shell)
        session = client.session("s-1", permissions="deny")
        assert (await client.execute_tool("s-1", "Bash", LS)).decision == "deny"
        assert (await client.execute_tool("s-2", "Bash", LS)).ok
        await session.end()
        assert (await client.execute_tool("s-1", "Bash", LS)).ok
        reference = weakref.ref(session)
        del session
        gc.collect()
        assert reference() is None

    asyncio.run(main())


def test_a_tool_may_come_with_a_permission() -> None:
    async def main() -> None:
        client = HookClient()
        before = client.session(permissions="allow")
        client.register_tool("Bash[1]", shell, permission="deny")
        client.register_tool("Bash", shell)
        after = client.session()
        for session in (before, after, before.subagent("x")):
            assert (await session.run_tool("Bash[1]", LS)).decision == "deny"
            assert (await session.run_tool("Bash", LS)).ok
        with pytest.raises(InvalidOptionError):
            client.register_tool("Other", shell, permission="maybe")  # type: ignore[arg-type]
        with pytest.raises(UnknownToolError):
            await after.run_tool("Other", LS)
        with pytest.raises(InvalidMatcherError, match="no pattern can name"):
            client.register_tool("Bash|Read", shell, permission="deny")

    asyncio.run(main())


def test_a_tool_may_come_with_a_schema() -> None:
    async def main() -> None:
        client = HookClient()
        schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
        client.register_tool("Bash", shell, schema=schema)
        client.register_tool("Bash", shell, schema=schema)
        session = client.session()
        with session.temporary_hook("PreToolUse", lambda event: {"modified": {"args": {"command": "pwd"}}}):
            assert (await session.run_tool("Bash", LS)).output == "ran pwd"
        with session.temporary_hook("PreToolUse", lambda event: {"modified": {"args": {"command": 3}}}):
            outcome = await session.run_tool("Bash", LS)
        assert not outcome.ran and outcome.reason is not None and "modified.args.command" in outcome.reason
        for wrong in ({"type": "nothing"}, {"type": "object", "default": object()}):
            with pytest.raises(DefinitionError):
                client.register_tool("Other", shell, schema=wrong)
        with pytest.raises(UnknownToolError):
            await session.run_tool("Other", LS)

    asyncio.run(main())


def test_wrong_options_are_refused() -> None:
    client = HookClient()
    with pytest.raises(InvalidOptionError, match="approval"):
        client.session(approval="maybe")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="sometimes"):
        client.session(permissions={"Bash": "sometimes"})  # type: ignore[dict-item]
    with pytest.raises(InvalidOptionError, match="max_retries"):
        client.session(max_retries=-1)
    with pytest.raises(TypeError):
        client.session(colour="red")  # type: ignore[call-arg]


def test_a_closed_client_ends_its_sessions() -> None:
    async def main() -> None:
        client = HookClient()
        session = client.session()
        client.close()
        with pytest.raises(ClientClosed):
            await session.run_tool("X", {}, shell)

    asyncio.run(main())


def test_args_without_json_form_reach_the_tool() -> None:
    async def main() -> None:
        client = HookClient()
        thing = object()
        outcome = await client.session().run_tool("X", {"thing": thing, "t": (1,)}, lambda args: args["thing"] is thing)
        assert outcome.output is True and outcome.args == {"thing": thing, "t": (1,)}
        deep: list[Any] = []
        for _ in range(200):
            deep = [deep]
        with pytest.raises(PayloadError):
            await client.session().run_tool("X", {"deep": deep}, shell)

    asyncio.run(main())


# Cancellation


def test_cancelling_a_call_cancels_the_tool_on_asyncio() -> None:
    async def main() -> None:
        client = HookClient()
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
        await asyncio.sleep(0.01)
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
            try:
                await trio.sleep_forever()
            finally:
                events.append("ended")

        session = HookClient().session()
        with trio.move_on_after(0.01) as scope:
            await session.run_tool("X", {}, slow)
        assert scope.cancelled_caught and events == ["ended"]

    trio.run(main)


@pytest.mark.parametrize("run", LOOPS)
def test_cancelling_a_call_cancels_the_approver(run: Callable[..., Any]) -> None:
    async def main() -> None:
        approvals = PendingApprovals()
        session = HookClient().session(permissions="ask", approval=approvals)
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
        outcome = await HookClient().session().run_tool("X", {}, tool)
        assert outcome.ran and not outcome.ok and "cancellation" in str(outcome.error)

    asyncio.run(main())


# Many at once


@pytest.mark.parametrize("run", LOOPS)
def test_sessions_never_mix(run: Callable[..., Any]) -> None:
    sessions, calls = 100, 50

    async def main() -> None:
        client = HookClient()

        @client.hook("PreToolUse")
        async def mark(event: Event) -> HookResponse:
            await pause()
            command = f"{event.session_id}:{event.args['command']}"
            return HookResponse.continue_(modified={"args": {"command": command}}, inject=command)

        async def tool(args: dict[str, Any], context: ToolContext) -> str:
            await pause()
            return f"{context.session.id}>{args['command']}"

        async def converse(number: int) -> None:
            session = client.session(f"s-{number}", injection_budget=10**9)
            first = calls // 2

            async def call(turn: int) -> None:
                outcome = await session.run_tool("Bash", {"command": f"{turn}"}, tool, tool_use_id=f"{number}-{turn}")
                wanted = f"s-{number}:{turn}"
                assert outcome.output == f"s-{number}>{wanted}"
                assert outcome.args == {"command": wanted} and outcome.tool_use_id == f"{number}-{turn}"
                assert [one.content for one in outcome.injected] == [wanted]

            await together([lambda turn=turn: call(turn) for turn in range(first)])
            for turn in range(first, calls):
                await call(turn)
            assert isinstance(session.context, Messages)
            said = sorted(message.content for message in session.context.messages)
            assert said == sorted(f"s-{number}:{turn}" for turn in range(calls))

        async def together(makes: list[Callable[[], Any]]) -> None:
            if "trio" in run.__name__:
                async with trio.open_nursery() as nursery:
                    for make in makes:
                        nursery.start_soon(make)
            else:
                await asyncio.gather(*(make() for make in makes))

        await together([lambda number=number: converse(number) for number in range(sessions)])

    run(main)


# Approvals


def test_pending_approvals_are_decided_from_another_task() -> None:
    async def main() -> None:
        session = HookClient().session("s-1", permissions={"Bash": "ask"}, approval="pending")
        call = asyncio.create_task(session.run_tool("Bash", LS, shell))
        while not session.pending():
            await asyncio.sleep(0)
        (request,) = session.pending()
        assert (request.event, request.tool, request.args, request.session_id) == ("PreToolUse", "Bash", LS, "s-1")
        assert request.shown == '{"command":"ls"}' and "Allow once" in request.granting
        with pytest.raises(UnknownApprovalError, match="is no option"):
            session.decide(request.id, "Perhaps")
        with pytest.raises(UnknownApprovalError, match="nothing waits"):
            session.decide("other", "Allow once")
        session.decide(request.id, "Allow once")
        assert (await call).ok and session.pending() == []
        with pytest.raises(UnknownApprovalError):
            session.decide(request.id, "Allow once")

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_pending_approvals_are_decided_from_a_thread(run: Callable[..., Any]) -> None:
    approvals = PendingApprovals()

    def decide() -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for request in approvals.pending():
                approvals.decide(request.id, "Deny" if request.args["command"] == "rm" else "Allow once")
            if len(seen) == 2:
                return
            time.sleep(0.001)

    seen: list[bool] = []

    async def main() -> None:
        session = HookClient().session(permissions="ask", approval=approvals)
        seen.append((await session.run_tool("Bash", LS, shell)).ok)
        denied = await session.run_tool("Bash", {"command": "rm"}, shell)
        assert denied.by == "user" and denied.reason is not None and denied.reason.startswith("user denied")
        seen.append(denied.ran)

    thread = threading.Thread(target=decide)
    thread.start()
    run(main)
    thread.join()
    assert seen == [True, False]


def test_a_session_without_a_queue_has_nothing_pending() -> None:
    session = HookClient().session()
    assert session.pending() == []
    with pytest.raises(UnknownApprovalError, match="pending"):
        session.decide("x", "Allow once")


@pytest.mark.parametrize("run", LOOPS)
def test_nobody_answers_in_time(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = HookClient()
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?", timeout=0.02))
        session = client.session(approval="pending")
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.decision, outcome.by) == (False, "deny", "timeout")
        assert session.pending() == []

    run(main)


@pytest.mark.parametrize("answer", ["allow", True, None, 1, "Allow Once", "allow once ", ["Allow once"]])
def test_only_an_option_that_allows_allows(answer: Any) -> None:
    async def main() -> None:
        session = HookClient().session(permissions="ask", approval=lambda request: answer)
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.decision) == (False, "deny")

    asyncio.run(main())


def test_a_hook_says_which_of_its_options_allow() -> None:
    async def main() -> None:
        client = HookClient()
        question = HookResponse.ask(
            "how?", options=["dry run", "for real", "not at all"], grants=["dry run", "for real"]
        )
        client.register_hook("PreToolUse", lambda event: question)
        for answer, ran in (("dry run", True), ("not at all", False), ("Allow once", False)):
            session = client.session(approval=lambda request, answer=answer: answer)
            assert (await session.run_tool("Bash", LS, shell)).ran is ran
        outcome = await client.dispatch("PreToolUse", tool="Bash", args=LS)
        assert outcome.asks[0].grants == ("dry run", "for real")

    asyncio.run(main())


def test_an_approver_that_raises_denies_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def approve(request: ApprovalRequest) -> str:
        raise OSError("no line")

    async def main() -> None:
        with caplog.at_level(logging.WARNING, logger="hookweave"):
            outcome = await HookClient().session(permissions="ask", approval=approve).run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.by) == (False, "host")
        assert outcome.reason is not None and "no line" in outcome.reason

    asyncio.run(main())
    assert any("approver" in record.getMessage() for record in caplog.records)


def test_an_approver_that_cancels_itself_is_no_cancellation_of_the_caller() -> None:
    async def approve(request: ApprovalRequest) -> str:
        task = asyncio.ensure_future(asyncio.sleep(3600))
        task.cancel()
        await task
        return "Allow once"

    async def main() -> None:
        session = HookClient().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.by) == (False, "host")

    asyncio.run(main())


def test_changing_args_after_an_approval_changes_nothing() -> None:
    given = {"command": "ls", "list": [1]}
    asked: list[Any] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request.args)
        given["command"] = "rm -rf /"
        given["list"].append(2)  # type: ignore[attr-defined]
        request.args["command"] = "rm -rf /"
        request.args["list"].append(3)
        return "Allow once"

    async def main() -> None:
        ran: list[Any] = []
        session = HookClient().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", given, ran.append)
        assert ran == [{"command": "ls", "list": [1]}]
        assert outcome.args == {"command": "ls", "list": [1]}

    asyncio.run(main())
    assert asked


class Sly(dict[str, Any]):
    """A container that whoever made it may change."""


class Opaque:
    def __init__(self) -> None:
        self.command = "ls"


@pytest.mark.parametrize("make", [dict, Sly, OrderedDict])
def test_a_hook_cannot_change_what_was_approved(make: Callable[..., Any]) -> None:
    kept: list[Any] = []
    shown: list[str | None] = []
    client = HookClient()

    @client.hook("PreToolUse")
    def modify(event: Event) -> dict[str, Any]:
        args = make(command="ls", inner=make(deep=[make(x=1)]))
        kept.append(args)
        return {"modified": {"args": args}, "action": "ask"}

    def change() -> None:
        for args in kept:
            args["command"] = "rm -rf /"
            args["inner"]["deep"][0]["x"] = 2

    def approve(request: ApprovalRequest) -> str:
        shown.append(request.shown)
        change()
        return "Allow once"

    client.register_hook("PermissionGranted", lambda event: change())

    async def main() -> None:
        ran: list[Any] = []
        outcome = await client.session(approval=approve).run_tool("Bash", LS, ran.append)
        assert shown == ['{"command":"ls","inner":{"deep":[{"x":1}]}}']
        assert ran == [{"command": "ls", "inner": {"deep": [{"x": 1}]}}] and outcome.args == ran[0]

    asyncio.run(main())


def test_what_is_no_json_is_copied_before_it_is_approved() -> None:
    opaque = Opaque()

    def approve(request: ApprovalRequest) -> str:
        assert request.shown is None
        opaque.command = "rm -rf /"
        return "Allow always"

    async def main() -> None:
        session = HookClient().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", {"what": opaque}, lambda args: args["what"].command)
        assert outcome.output == "ls"
        locked = await session.run_tool("Bash", {"what": threading.Lock()}, lambda args: "ran")
        assert (locked.ran, locked.by) == (False, "host")

    asyncio.run(main())


# Subagents


@pytest.mark.parametrize("run", LOOPS)
def test_subagents_end_with_their_session(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = HookClient()
        events: list[tuple[str, str | None]] = []
        for name in ("SubagentStart", "SubagentStop", "SessionEnd", "PostToolUse"):
            client.register_hook(name, lambda event: events.append((event.event_type, event.agent_id)))
        session = client.session()
        one = session.subagent("explore", "one")
        assert (await one.start()).accepted
        two = one.subagent("explore", "two")
        await two.start()
        ended: list[str] = []

        async def slow(args: dict[str, Any]) -> None:
            try:
                await pause(3600)
            finally:
                ended.append("tool")

        async def work() -> None:
            with pytest.raises(SessionClosed, match="two ended with its session"):
                await two.run_tool("X", {}, slow)
            ended.append("work")

        async def end() -> None:
            await pause(0.02)
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
        with pytest.raises(SessionClosed, match="subagent one has ended"):
            await one.run_tool("X", {}, shell)
        with pytest.raises(SessionClosed):
            session.subagent("explore")

    run(main)


def test_a_cancelled_session_cancels_its_subagents() -> None:
    async def main() -> None:
        client = HookClient()
        ended: list[str] = []
        client.register_hook("SubagentStop", lambda event: ended.append("stop hook"))

        async def slow(args: dict[str, Any]) -> None:
            await asyncio.sleep(3600)

        tasks: list[asyncio.Task[Any]] = []

        async def parent() -> None:
            async with client.session() as session:
                child = session.subagent("x", "c")
                await child.start()
                tasks.append(asyncio.create_task(child.run_tool("X", {}, slow)))
                await asyncio.sleep(3600)

        task = asyncio.create_task(parent())
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(SessionClosed):
            await asyncio.wait_for(tasks[0], 1)
        assert ended == []

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_a_subagent_may_be_refused(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = HookClient()
        client.register_hook("SubagentStart", lambda event: HookResponse.block("not now"))
        session = client.session()
        with pytest.raises(SubagentBlocked, match="not now") as caught:
            async with session.subagent("explore"):
                raise AssertionError("must not be entered")
        assert caught.value.code == "subagent_blocked" and caught.value.reason == "not now"

    run(main)


def test_a_subagent_may_be_kept_at_work() -> None:
    async def main() -> None:
        client = HookClient()
        reasons = ["look again"]

        @client.hook("SubagentStop")
        def keep(event: Event) -> HookResponse | None:
            return HookResponse.block(reasons.pop()) if reasons else None

        session = client.session()
        async with session.subagent("explore") as child:
            stopped = await child.end()
            assert stopped.goes_on and stopped.reason == "look again" and not child.closed
            assert not (await child.end()).goes_on and child.closed
        assert isinstance(session.context, Messages)
        assert [message.content for message in session.context.messages] == ["look again"]

    asyncio.run(main())


def test_a_subagent_that_ends_its_own_session() -> None:
    async def main() -> None:
        client = HookClient()
        session = client.session()
        async with session.subagent("explore") as child:

            async def ends(args: dict[str, Any]) -> str:
                await session.end()
                return "ended"

            outcome = await asyncio.wait_for(child.run_tool("X", {}, ends), 5)
            assert outcome.output == "ended"
        assert session.closed and child.closed

    asyncio.run(main())


# Hooks of one session


def test_temporary_hooks_of_a_session() -> None:
    async def main() -> None:
        client = HookClient()
        seen: list[tuple[str, str | None]] = []

        def note(event: Event) -> None:
            seen.append((event.session_id, event.agent_id))

        for name in ("plain", "a*b[1]{x}", "back\\slash"):
            session, other = client.session(name), client.session(f"not {name}")
            child, sibling = session.subagent("x", "c*"), session.subagent("x", "cd")
            with session.temporary_hook("PreToolUse", note, matcher={"tool": "Bash"}):
                await session.run_tool("Bash", LS, shell)
                await session.run_tool("Read", {}, lambda args: "")
                await other.run_tool("Bash", LS, shell)
                await child.run_tool("Bash", LS, shell)
            assert seen == [(name, None), (name, "c*")]
            seen.clear()
            async with child.temporary_hook("PreToolUse", note):
                await session.run_tool("Bash", LS, shell)
                await sibling.run_tool("Bash", LS, shell)
                await child.run_tool("Bash", LS, shell)
            assert seen == [(name, "c*")]
            seen.clear()
        with pytest.raises(InvalidMatcherError, match=r"a\|b"):
            client.session("a|b").temporary_hook("PreToolUse", note)
        assert client.list_hooks() == []

    asyncio.run(main())


def test_any_other_event() -> None:
    async def main() -> None:
        client = HookClient()
        client.register_hook("TaskCreated", lambda event: {"action": "block", "reason": event["cwd"]})
        session = client.session("s", cwd="/w")
        outcome = await session.dispatch("TaskCreated", task_id="1", task_subject="x")
        assert outcome.blocked and outcome.reason == "/w" and outcome.event.session_id == "s"
        assert (await session.dispatch("deploy:start", {"target": "x"})).event["target"] == "x"

    asyncio.run(main())


# Models


@pytest.mark.parametrize("run", LOOPS)
def test_an_agent_with_a_model_that_streams(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = HookClient()
        requests: list[ModelRequest] = []
        pieces: list[str] = []

        async def model(request: ModelRequest) -> ModelResponse | str | dict[str, Any]:
            requests.append(request)
            await pause()
            if len(requests) == 1:
                calls = [ToolCall("Bash", {"command": "ls"}, "t-1"), {"name": "Nothing", "args": {}}]
                return ModelResponse("let me look", calls, {"total_tokens": 12})
            for piece in ("all ", "done"):
                request.on_text(piece)
                await pause()
            return "all done"

        client.register_tool("Bash", shell)
        client.register_model(model)
        client.register_hook("PreToolUse", lambda event: {"inject": {"content": "hint", "ephemeral": True}})
        session = client.session("s-1", system_prompt="be brief")
        generation = await client.generate("s-1", "what is here?", on_text=pieces.append)
        assert (generation.status, generation.text, generation.model_calls) == ("done", "all done", 2)
        assert pieces == ["all ", "done"]
        known, unknown = generation.tools
        assert (known.tool, known.output, known.tool_use_id) == ("Bash", "ran ls", "t-1")
        assert [one.event.event_type for one in known.outcomes] == ["ToolResolution", "PreToolUse", "PostToolUse"]
        assert (unknown.ran, unknown.by, unknown.tool) == (False, "host", "Nothing")
        assert generation.response is not None and generation.response["text"] == "all done"
        assert len(generation.trace) == 1
        assert requests[0].system_prompt == "be brief" and requests[0].tools == ["Bash"]
        assert [message.role for message in requests[1].messages] == ["user", "assistant", "tool", "tool", "system"]
        assert requests[1].messages[-1].content == "hint"
        assert isinstance(session.context, Messages)
        assert [message.role for message in session.context.messages][-1] == "assistant"
        assert (await session.generate("again")).status == "done"

    run(main)


@pytest.mark.parametrize("answer", [None, 3, {"tool_calls": [{"args": {}}]}, {"tool_calls": 3}, {"usage": object()}])
def test_a_model_that_answers_nonsense_has_failed(answer: Any) -> None:
    async def main() -> None:
        client = HookClient()
        client.register_model(lambda request: answer)
        generation = await client.session().generate("x")
        assert generation.status == "failed" and generation.reason and generation.model_calls == 1

    asyncio.run(main())


def test_what_a_model_raises_is_kept() -> None:
    async def main() -> None:
        client = HookClient()
        boom = ConnectionError("overloaded")

        def model(request: ModelRequest) -> str:
            raise boom

        client.register_model(model)
        generation = await client.session().generate("x")
        assert (generation.status, generation.reason, generation.error) == ("failed", "overloaded", boom)

    asyncio.run(main())


def test_a_summary_must_be_a_text() -> None:
    async def main() -> None:
        session = HookClient().session()
        compaction = await session.compact(lambda custom: 3)  # type: ignore[arg-type, return-value]
        assert not compaction.compacted and compaction.reason is not None and "int" in compaction.reason
        assert (await session.compact(lambda custom: f"short: {custom}")).summary == "short: None"

    asyncio.run(main())


# Context and display


def test_a_context_and_a_display_that_raise_stop_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def add_message(self, role: str, content: Any, metadata: dict[str, Any]) -> None:
            raise OSError("full")

        async def show_message(self, text: str, level: str, source: str) -> None:
            raise OSError("closed")

    async def main() -> None:
        client = HookClient()
        client.register_hook("PreToolUse", lambda event: {"inject": "text", "message": "look"})
        session = client.session(context=Broken(), display=Broken())
        assert (await session.run_tool("Bash", LS, shell)).ok

    with caplog.at_level(logging.WARNING, logger="hookweave"):
        asyncio.run(main())
    texts = [record.getMessage() for record in caplog.records]
    assert any("did not take a message" in text for text in texts)
    assert any("display" in text and "look" in text for text in texts)


def test_messages_are_logged_without_a_display(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        client = HookClient()
        client.register_hook(
            "PreToolUse", lambda event: {"message": {"text": "mind this", "level": "warning"}}, name="m"
        )
        await client.session().run_tool("Bash", LS, shell)

    with caplog.at_level(logging.INFO, logger="hookweave"):
        asyncio.run(main())
    assert ("hookweave", logging.WARNING, "m: mind this") in caplog.record_tuples


# The terminal

ASKS = """
import asyncio, sys
from hookweave import HookClient, HookResponse

client = HookClient()
client.register_hook(
    "PreToolUse",
    lambda event: HookResponse.ask("really\\x1b[2K\\u202e?\\n  1) Deny", timeout=float(sys.argv[1]), remember="tool"),
    name="gu\\x1bard",
)

async def main():
    session = client.session(approval="terminal")
    outcome = await session.run_tool("Bash", {"command": "ls \\x1b]0;x\\x07"}, lambda args: "ran it")
    print("outcome", outcome.ran, outcome.by, outcome.reason)

asyncio.run(main())
"""


class Person:
    """A program at a terminal of its own, and who sits before it."""

    def __init__(self, timeout: float) -> None:
        import pty

        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execv(sys.executable, [sys.executable, "-c", ASKS, str(timeout)])
        self.screen = ""

    def until(self, text: str) -> None:
        """Reads until a text is on the screen."""
        deadline = time.monotonic() + 20
        while text not in self.screen:
            assert time.monotonic() < deadline, self.screen
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self.terminal, 4096).decode()
                except OSError:
                    # Linux says so when the program has ended.
                    assert text in self.screen, self.screen
                    return

    def types(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def echoes(self) -> bool:
        import termios

        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def leaves_echo(self) -> None:
        deadline = time.monotonic() + 5
        while not self.echoes():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def leave(self) -> None:
        os.waitpid(self.process, 0)
        os.close(self.terminal)


needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")


@needs_terminals
def test_a_terminal_asks_and_shows_what_it_would_obey() -> None:
    person = Person(30)
    person.until("in 29 s: ")
    assert not person.echoes()
    person.types("7\r")
    person.types("x2\x7f1\r")
    person.until("outcome True None None")
    person.leave()
    assert "outcome True None None" in person.screen, person.screen
    question = person.screen.split("\r\x1b[K")[0]
    for text in (
        "Hook gu\\u{1b}ard asks about tool Bash:",
        "  | really\\u{1b}[2K\\u{202e}?\r\n",
        # A line that looks like an option of ours is marked as the hook's.
        "  |   1) Deny\r\n",
        '  | {"command":"ls \\u001b]0;x\\u0007"}',
        "  1) Allow once\r\n",
        "(from now on: every call of this tool)",
    ):
        assert text in question, (text, question)
    assert "\x1b" not in question and "\u202e" not in question and "\x07" not in question


@needs_terminals
def test_a_terminal_may_deny() -> None:
    person = Person(30)
    person.until("s: ")
    options = [line.strip() for line in person.screen.splitlines() if line.startswith("  ") and ") Deny" in line]
    person.types(f"{options[-1][0]}\r")
    person.until("user denied")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_a_terminal_question_ends_with_its_time() -> None:
    person = Person(1)
    person.until("denied in 1 s: ")
    person.until("outcome False timeout")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_a_terminal_that_is_interrupted_echoes_again() -> None:
    person = Person(30)
    person.until("s: ")
    person.types("\x03")
    person.until("KeyboardInterrupt")
    person.until("This question is over.")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_without_a_terminal_it_is_denied() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS, "30"],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=True,
    )
    assert "outcome False host the approval failed: there is no terminal to ask at" in done.stdout, done
