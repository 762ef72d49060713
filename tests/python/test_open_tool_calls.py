"""Tool calls in halves: calls that are left and code that is not async."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import (
    AwaitableInSyncDispatchError,
    HookResponse,
    PayloadError,
    SessionClosedError,
    ToolResult,
)

from support import new_client
from test_loops import LOOPS

LS = {"command": "ls"}


@pytest.mark.parametrize("run", LOOPS)
def test_both_halves_say_what_hooks_changed(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: {"modified": {"args": {"command": "ls -l"}}})
        client.register_hook("PostToolUse", lambda event: {"modified": {"result": {"output": "withheld"}}})
        session = client.session("s1")
        call = await session.begin_tool("Bash", LS, tool_use_id="t1")
        assert (call.runs, call.tool, call.tool_use_id, call.args) == (True, "Bash", "t1", {"command": "ls -l"})
        assert call.changed("args")
        await call.succeeded(ToolResult("secret", exit_code=0))
        assert (call.runs, call.outcome.output, call.changed("output")) == (False, "withheld", True)
        failing = await session.begin_tool("Bash", LS)
        await failing.failed(OSError("no disk"))
        assert (failing.outcome.output, failing.changed("output")) == ("no disk", False)
        assert [outcome.event.event_type for outcome in call.outcome.outcomes] == ["PreToolUse", "PostToolUse"]

    run(main)


def test_a_call_is_ended_once_and_has_an_outcome_then() -> None:
    async def main() -> None:
        client = new_client()
        session = client.session("s1")
        call = await session.begin_tool("Bash", LS, tool_use_id="t1")
        with pytest.raises(PayloadError, match=r"Bash \(call t1\) has no outcome: it is still to run"):
            _ = call.outcome
        await call.succeeded("done")
        for end in (call.succeeded("again"), call.failed(OSError("late"))):
            with pytest.raises(PayloadError, match=r"Bash \(call t1\) is not to run; look at `runs` first"):
                await end
        client.register_hook("PreToolUse", lambda event: HookResponse.block("no"))
        refused = await session.begin_tool("Bash", LS)
        assert (refused.runs, refused.outcome.reason, refused.changed("args")) == (False, "no", False)
        with pytest.raises(PayloadError, match="begin_tool: `args` of Bash are a dict"):
            await session.begin_tool("Bash", "ls")  # type: ignore[arg-type]
        await session.end()
        with pytest.raises(SessionClosedError):
            await session.begin_tool("Bash", LS)

    asyncio.run(main())


@pytest.mark.parametrize("leaves", ["drop", "stop", "end", "end_sync", "abandon"])
def test_a_call_that_is_left_counts_as_not_begun(leaves: str, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    ran: list[str] = []

    async def main() -> None:
        client = new_client(audit=log)
        client.register_hook("PreToolUse", lambda event: ran.append("once"), once=True)
        session = client.session("s1")
        call = await session.begin_tool("Bash", LS, tool_use_id="t1")
        if leaves == "drop":
            call.drop()
            call.drop()
        elif leaves == "end_sync":
            session.end_sync()
        elif leaves == "abandon":
            client.close()
            session.end_sync()
        else:
            await getattr(session, leaves)()
        assert not call.runs
        with pytest.raises(PayloadError, match="was dropped"):
            _ = call.outcome
        if leaves in ("drop", "stop"):
            await session.begin_tool("Bash", LS)
            assert ran == ["once", "once"]
        client.close()

    asyncio.run(main())
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    runs = [record["outcome"] for record in records if record.get("kind") == "tool_run"]
    assert runs[:1] == ([] if leaves == "abandon" else ["dropped"])


def test_an_async_hook_is_refused_before_any_hook_runs() -> None:
    client, ran = new_client(), list[str]()
    client.register_hook("PreToolUse", lambda event: ran.append("first"))

    async def slow(event: object) -> None: ...

    client.register_hook("PreToolUse", slow)
    with client.session("s1") as session, pytest.raises(AwaitableInSyncDispatchError):
        session.begin_tool_sync("Bash", LS)
    assert ran == []


def test_an_async_approver_of_a_call_that_is_not_awaited_denies() -> None:
    async def approve(request: object) -> str:
        return "Allow once"

    with new_client().session("s1", permissions="ask", approval=approve) as session:
        call = session.begin_tool_sync("Bash", LS)
        assert not call.runs
        assert "the approver is async" in str(call.outcome.reason)


def test_an_async_context_of_a_call_that_is_not_awaited_is_an_error() -> None:
    class Stored:
        async def add_message(self, role: str, content: object, metadata: object) -> None:
            await asyncio.sleep(0)

    client = new_client()
    client.register_hook("PreToolUse", lambda event: {"inject": "hint"})
    session = client.session("s1", context=Stored())
    with pytest.raises(AwaitableInSyncDispatchError, match=r"begin_tool_sync: .*; make it a plain function, or await"):
        session.begin_tool_sync("Bash", LS)


def test_a_whole_session_without_a_loop() -> None:
    client, raised = new_client(), list[str]()
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"):
        client.register_hook(event, lambda event: raised.append(event.event_type))
    with client.session("s1") as session:
        assert session.submit_prompt_sync("hello").accepted
        call = session.begin_tool_sync("Bash", LS)
        call.succeeded_sync("ran")
        assert call.outcome.output == "ran"
        assert not session.stop_sync().should_continue
    assert raised == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    assert session.closed
