"""Tools and models of a session: what they are told, what they may give, and what they raise."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hookweave import (
    ClientClosedError,
    Event,
    HookResponse,
    InvalidDefinitionError,
    InvalidMatcherError,
    InvalidOptionError,
    Messages,
    ModelRequest,
    ModelResponse,
    NoModelError,
    PayloadError,
    ToolCall,
    ToolContext,
    ToolFailedError,
    ToolResult,
    UnknownToolError,
)

from support import new_client
from test_loops import LOOPS, pause


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


LS = {"command": "ls"}


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
        client = new_client()
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
    client = new_client()
    boom = ValueError("boom")

    def fails(args: dict[str, Any]) -> None:
        raise boom

    def silent(args: dict[str, Any]) -> None:
        raise KeyboardInterrupt if False else LookupError

    async def main() -> None:
        session = client.session()
        outcome = await session.run_tool("X", {}, fails)
        assert isinstance(outcome.error, ToolFailedError) and str(outcome.error) == "boom"
        assert outcome.error.__cause__ is boom and outcome.error.code == "tool_failed"
        assert outcome.result is not None and outcome.result["success"] is False and outcome.output == "boom"
        assert str((await session.run_tool("X", {}, silent)).error) == "LookupError"
        failed = await session.run_tool("X", {}, lambda args: ToolResult({"why": 1}, success=False, exit_code=2))
        assert str(failed.error) == '{"why":1}' and failed.error is not None and failed.error.__cause__ is None
        assert failed.result is not None and failed.result["exit_code"] == 2 and failed.output == {"why": 1}

    asyncio.run(main())


def test_the_cause_is_that_of_the_last_run() -> None:
    client = new_client()
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
        client = new_client()
        client.register_tool("Read", lambda args: "text")
        with pytest.raises(UnknownToolError, match="no tool `Bash` is registered; known are: Read"):
            await client.execute_tool("s", "Bash", {})
        with pytest.raises(NoModelError, match="register_model"):
            await client.generate("s", "hello")
        assert (await client.execute_tool("s", "Read", {})).output == "text"
        with pytest.raises(InvalidOptionError, match="not callable"):
            client.register_tool("Read", "text")  # type: ignore[arg-type]

    asyncio.run(main())


def test_sessions_are_found_by_id() -> None:
    async def main() -> None:
        client = new_client()
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
        client = new_client()
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
        client = new_client()
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
            with pytest.raises(InvalidDefinitionError):
                client.register_tool("Other", shell, schema=wrong)
        with pytest.raises(UnknownToolError):
            await session.run_tool("Other", LS)

    asyncio.run(main())


def test_wrong_options_are_refused() -> None:
    client = new_client()
    with pytest.raises(InvalidOptionError, match="approval"):
        client.session(approval="maybe")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="sometimes"):
        client.session(permissions={"Bash": "sometimes"})  # type: ignore[dict-item]
    with pytest.raises(InvalidOptionError, match="max_retries"):
        client.session(max_retries=-1)
    with pytest.raises(InvalidOptionError, match="unknown option `colour`"):
        client.session(colour="red")  # type: ignore[call-arg]


def test_a_closed_client_ends_its_sessions() -> None:
    async def main() -> None:
        client = new_client()
        session = client.session()
        client.close()
        with pytest.raises(ClientClosedError):
            await session.run_tool("X", {}, shell)

    asyncio.run(main())


def test_args_without_json_form_reach_the_tool() -> None:
    async def main() -> None:
        client = new_client()
        thing = object()
        outcome = await client.session().run_tool("X", {"thing": thing, "t": (1,)}, lambda args: args["thing"] is thing)
        assert outcome.output is True and outcome.args == {"thing": thing, "t": (1,)}
        deep: list[Any] = []
        for _ in range(200):
            deep = [deep]
        with pytest.raises(PayloadError):
            await client.session().run_tool("X", {"deep": deep}, shell)

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_an_agent_with_a_model_that_streams(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
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
        assert [outcome.event.event_type for outcome in known.outcomes] == [
            "ToolResolution",
            "PreToolUse",
            "PostToolUse",
        ]
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
        client = new_client()
        client.register_model(lambda request: answer)
        generation = await client.session().generate("x")
        assert generation.status == "failed" and generation.reason and generation.model_calls == 1

    asyncio.run(main())


def test_what_a_model_raises_is_kept() -> None:
    async def main() -> None:
        client = new_client()
        boom = ConnectionError("overloaded")

        def model(request: ModelRequest) -> str:
            raise boom

        client.register_model(model)
        generation = await client.session().generate("x")
        assert (generation.status, generation.reason, generation.error) == ("failed", "overloaded", boom)

    asyncio.run(main())


def test_a_summary_must_be_a_text() -> None:
    async def main() -> None:
        session = new_client().session()
        compaction = await session.compact(lambda messages, custom: 3)  # type: ignore[arg-type, return-value]
        assert not compaction.compacted and compaction.reason is not None and "int" in compaction.reason
        assert (await session.compact(lambda messages, custom: f"short: {custom}")).summary == "short: None"

    asyncio.run(main())
