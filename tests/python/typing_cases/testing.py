"""Tests of hooks, as type checkers see them."""

from __future__ import annotations

from typing import Any, assert_type

from hookweave import (
    Failure,
    HookClient,
    HookResponse,
    ModelRequest,
    Outcome,
    PostToolUseEvent,
    PreToolUseEvent,
    ToolCall,
    ToolOutcome,
)
from hookweave.testing import (
    RecordingTool,
    ScriptedApprover,
    ScriptedModel,
    WatchedClient,
    assert_blocked,
    assert_failed,
    assert_matches_snapshot,
    assert_modified,
    dispatch,
    dispatch_sync,
    tool_call,
    tool_event,
    tool_result_event,
    trace_snapshot,
)


def guard(event: PreToolUseEvent) -> HookResponse | None:
    return HookResponse.block("no") if event.tool == "Bash" else None


client: HookClient = WatchedClient(profile="a3s")
client.register_hook("PreToolUse", guard)
assert_type(tool_event("Bash", command="ls"), PreToolUseEvent)
assert_type(tool_result_event("Bash", output="x"), PostToolUseEvent)
assert_type(tool_call("Bash", command="ls"), ToolCall)
outcome = dispatch_sync(client, tool_event("Bash"))
assert_type(outcome, Outcome[Any])
assert_type(assert_failed(outcome, "guard", "raised"), Failure)
assert_type(trace_snapshot(outcome), dict[str, Any])
assert_matches_snapshot(outcome, "name", names={"a": "<a>"})
assert_modified(outcome, args={"command": "ls"})
assert_failed(outcome, "guard", "rised")  # WRONG
assert_blocked("outcome")  # WRONG
ScriptedApprover(3)  # WRONG
ScriptedModel(3)  # WRONG


def answer(request: ModelRequest) -> str:
    return request.prompt


async def main() -> None:
    assert_type(await dispatch(client, "Stop", status="done"), Outcome[Any])
    client.register_model(
        ScriptedModel("text", tool_call("Bash"), [tool_call("Bash")], OSError(), answer, {"text": "x"})
    )
    session = client.session(approval=ScriptedApprover(True, "Deny", lambda request: request.options[0]))
    tool = RecordingTool(lambda args: args["command"])
    call = await session.run_tool("Bash", {}, tool)
    assert_type(call, ToolOutcome)
    assert_blocked(call, reason="no", by="guard")
    assert_type(tool.calls, list[dict[str, Any]])
