"""Sessions of the host: a conversation, many at once, hooks of one of them, and where messages go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hookweave import (
    Event,
    HookResponse,
    InvalidMatcherError,
    Messages,
    Outcome,
    SessionClosedError,
    ToolContext,
)

from support import new_client
from test_loops import LOOPS, pause


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


LS = {"command": "ls"}


@pytest.mark.parametrize("run", LOOPS)
def test_a_whole_conversation(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()

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
        with pytest.raises(SessionClosedError, match="has ended") as caught:
            await session.run_tool("Bash", LS, shell)
        assert caught.value.code == "session_closed"
        assert isinstance(session.context, Messages)
        assert [message.content for message in session.context.messages] == ["hello"]

    run(main)


@pytest.mark.parametrize("run", LOOPS)
def test_sessions_never_mix(run: Callable[..., Any]) -> None:
    sessions, calls = 100, 50

    async def main() -> None:
        client = new_client()

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
            contents = sorted(message.content for message in session.context.messages)
            assert contents == sorted(f"s-{number}:{turn}" for turn in range(calls))

        async def together(makes: list[Callable[[], Any]]) -> None:
            if "trio" in run.__name__:
                async with trio.open_nursery() as nursery:
                    for make in makes:
                        nursery.start_soon(make)
            else:
                await asyncio.gather(*(make() for make in makes))

        await together([lambda number=number: converse(number) for number in range(sessions)])

    run(main)


def test_temporary_hooks_of_a_session() -> None:
    async def main() -> None:
        client = new_client()
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
        client = new_client()
        client.register_hook("TaskCreated", lambda event: {"action": "block", "reason": event["cwd"]})
        session = client.session("s", cwd="/w")
        outcome = await session.dispatch("TaskCreated", task_id="1", task_subject="x")
        assert outcome.blocked and outcome.reason == "/w" and outcome.event.session_id == "s"
        assert (await session.dispatch("deploy:start", {"target": "x"})).event["target"] == "x"

    asyncio.run(main())


def test_a_context_and_a_display_that_raise_stop_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def add_message(self, role: str, content: Any, metadata: dict[str, Any]) -> None:
            raise OSError("full")

        async def show_message(self, text: str, level: str, source: str) -> None:
            raise OSError("closed")

    async def main() -> None:
        client = new_client()
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
        client = new_client()
        client.register_hook(
            "PreToolUse", lambda event: {"message": {"text": "mind this", "level": "warning"}}, name="m"
        )
        await client.session().run_tool("Bash", LS, shell)

    with caplog.at_level(logging.INFO, logger="hookweave"):
        asyncio.run(main())
    assert ("hookweave", logging.WARNING, "m: mind this") in caplog.record_tuples


@pytest.mark.parametrize("run", LOOPS)
def test_whoever_listens_hears_each_outcome_of_a_session_and_its_subagents(
    run: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def listen(outcome: Outcome[Any]) -> None:
        heard.append(outcome.event.event_type)
        raise RuntimeError("not my day")

    async def main() -> None:
        session = new_client().session(on_outcome=listen)
        async with session, session.subagent("reviewer") as child:
            await child.run_tool("Bash", LS, shell)

    run(main)
    assert heard == ["SessionStart", "SubagentStart", "PreToolUse", "PostToolUse", "SubagentStop", "SessionEnd"]
    logged = [record for record in caplog.records if "listener to outcomes" in record.getMessage()]
    assert [str(record.exc_info and record.exc_info[1]) for record in logged] == ["not my day"] * len(heard)


@pytest.mark.parametrize("by_hook", [False, True])
def test_arguments_with_an_integer_that_python_does_not_take(by_hook: bool) -> None:
    calls = [{"name": "Bash", "args": "{}"}, {"name": "Bash", "args": '{"n": [' + "9" * 4301 + "]}"}]
    response = {"text": "", "tool_calls": calls}
    client = new_client()
    ran: list[dict[str, Any]] = []
    client.register_tool("Bash", ran.append)
    client.register_model(lambda request: {"text": "a"} if by_hook else response)
    if by_hook:
        client.register_hook("GenerateEnd", lambda event: {"modified": {"response": response}})
    answer = asyncio.run(client.session().generate("x"))
    assert (answer.status, ran) == ("failed", [])
    assert answer.reason is not None
    assert "`tool_calls[1].args` of the model's response, a call of Bash" in answer.reason
    assert "4300" in answer.reason
