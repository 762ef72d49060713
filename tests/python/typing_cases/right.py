"""Code that type checkers must accept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, assert_type

from hookweave import (
    Approval,
    ApprovalRequest,
    Compaction,
    Dispatch,
    Event,
    EventName,
    Finding,
    GenerateEndEvent,
    Generation,
    HookClient,
    HookResponse,
    LateAnswer,
    LoadReport,
    Matcher,
    ModelRequest,
    ModelResponse,
    Outcome,
    PendingApprovals,
    PermissionRequestEvent,
    PostToolUseEvent,
    PreToolUseEvent,
    ReloadReport,
    Session,
    Started,
    StopEvent,
    Stopped,
    ToolCall,
    ToolContext,
    ToolFailedError,
    ToolOutcome,
    ToolResult,
    UntrustedHook,
    WireAnswer,
)

client = HookClient(profile="a3s", default_timeout=timedelta(seconds=2), max_total_hooks=None, mode="sequential")


@client.hook("PreToolUse", matcher={"tool": "Bash"}, priority=0, timeout=3.0, fail_behavior="block")
async def guard(event: PreToolUseEvent) -> HookResponse | None:
    if "rm -rf /" in event.command:
        return HookResponse.block("Dangerous command blocked").inject("context").message("text", "warning")
    assert_type(event.tool, str)
    assert_type(event.args, dict[str, Any])
    assert_type(event.session_id, str)
    assert_type(event.command, str)
    assert_type(event.paths, list[str])
    return None


@client.hook("tool:pre")
def by_alias(event: PreToolUseEvent) -> dict[str, Any]:
    return {"modified": {"args": event.args}}


@client.hook("GenerateEnd", detached=True)
def usage(event: GenerateEndEvent) -> None:
    print(event.response.usage.total_tokens)


@client.hook("Stop")
def takes_any_event(event: Event) -> HookResponse:
    return HookResponse.retry("again", delay=timedelta(seconds=1), suppress_output=True)


def any_event(event: Event) -> HookResponse:
    return HookResponse.continue_(message={"text": event.event_type})


client.register_hook("SessionStart", any_event)
client.register_hook(StopEvent, any_event)
client.register_hook(PreToolUseEvent, lambda event: HookResponse.block(event.tool))
client.register_hook("PreToolUse", lambda event: HookResponse.block(event.tool))
condition: Matcher = {"tool": "Bash", "args": {"command": {"regex": "^rm"}, "depth": "1*"}}


@client.hook(PostToolUseEvent, matcher=condition)
def by_class(event: PostToolUseEvent) -> HookResponse:
    assert_type(event.result.success, bool)
    assert_type(event.result.exit_code, int)
    return HookResponse.continue_(modified={"result": {**event.result, "output": "x"}})


deploy = client.define_event("Deploy", modifiable=["target"])


@client.hook(deploy)
async def custom(event: Event) -> None:
    print(event["target"], event.target)


hook_id: str = client.register_hook("PermissionRequest", lambda event: HookResponse.ask(event.prompt, timeout=60.0))
client.register_hook(EventName("deploy:start"), any_event, run_in_thread=True, timeout=None)


def factory() -> Callable[[StopEvent], Awaitable[HookResponse]]:
    async def handler(event: StopEvent) -> HookResponse:
        return HookResponse.stop(event.status)

    return handler


async def main() -> None:
    async with client, client.temporary_hook("Stop", factory()) as temporary:
        assert_type(temporary, str)
    with client.temporary_hook("PermissionRequest", permission):
        pass
    dispatch = client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"}, session_id="s1", extra=1)
    assert_type(dispatch, Dispatch[Outcome[PreToolUseEvent]])
    outcome = await dispatch
    assert_type(outcome, Outcome[PreToolUseEvent])
    assert_type(outcome.event, PreToolUseEvent)
    assert_type(outcome.blocked, bool)
    assert_type(outcome.reason, str | None)
    assert_type(await client.dispatch(PreToolUseEvent(tool="Bash", args={})), Outcome[PreToolUseEvent])
    assert_type(client.dispatch_sync("Stop"), Outcome[StopEvent])
    assert_type(client.dispatch_sync("PreToolUse", {"tool": "Bash"}), Outcome[PreToolUseEvent])
    assert_type(client.dispatch_sync(deploy, target="x"), Outcome[Event])
    task = asyncio.create_task(client.dispatch("Stop"))
    assert_type(await task, Outcome[StopEvent])
    assert_type(await asyncio.wait_for(client.dispatch("Stop"), 1), Outcome[StopEvent])
    assert outcome.trace[0].failure is None or outcome.trace[0].failure.error.__cause__
    assert_type(await client.drain(1.0), bool)


def permission(event: PermissionRequestEvent) -> dict[str, Any] | None:
    return None


async def judge(question: dict[str, Any]) -> dict[str, Any]:
    return {"ok": question["kind"] == "prompt"}


def hear(late: LateAnswer) -> None:
    assert_type(late.wakes, bool)


async def heard(report: ReloadReport) -> None:
    print(report.kept)


async def from_files() -> None:
    report = client.load("settings.json", dialect="claude-code", scope="user", strict=True)
    assert_type(report, LoadReport)
    found = client.discover(".", sources=("claude-code",), trust="all", on_untrusted="report")
    assert_type(found.untrusted, tuple[UntrustedHook, ...])
    client.trust.approve(found.untrusted)
    assert_type(client.lint("settings.json"), list[Finding])
    client.set_judge(judge)
    client.set_tool_caller(lambda question: str(question["tool"]))
    client.on_late_answer(hear)
    client.watch(heard)
    client.watch(lambda report: print(report.added))
    client.unwatch()
    assert_type(await client.reload(), ReloadReport)
    event = Event.from_wire("codex", b"{}")
    assert_type(event, Event)
    assert_type(client.dispatch_sync(event).to_wire("codex"), WireAnswer)


def shell(args: dict[str, Any]) -> str:
    return str(args["command"])


async def with_context(args: dict[str, Any], context: ToolContext) -> ToolResult:
    assert_type(context.session, Session)
    return ToolResult(context.env, success=False, exit_code=1)


def approve(request: ApprovalRequest) -> str:
    return request.granting[0] if request.tool == "Bash" else "Deny"


async def approve_later(request: ApprovalRequest) -> str:
    return request.options[-1]


async def model(request: ModelRequest) -> ModelResponse:
    request.on_text("text")
    return ModelResponse("text", [ToolCall("Bash", {"command": "ls"})], {"total_tokens": len(request.messages)})


class OwnContext:
    async def add_message(self, role: str, content: Any, metadata: dict[str, Any]) -> None:
        print(role, content, metadata)


class OwnDisplay:
    def show_message(self, text: str, level: str, source: str) -> None:
        print(text, level, source)


async def sessions() -> None:
    client.register_tool("Bash", shell, schema={"type": "object"}, permission="ask")
    client.register_tool("Other", with_context)
    client.register_model(model)
    client.register_model(lambda request: request.prompt)
    async with client.session("s1", cwd=".", approval=approve, permissions={"Bash": "ask", "*": "deny"}) as session:
        assert_type(session, Session)
        outcome = await session.run_tool("Bash", {"command": "ls"}, shell)
        assert_type(outcome, ToolOutcome)
        assert_type(outcome.error, ToolFailedError | None)
        assert_type(await session.run_tool("Other", {}, with_context, tool_use_id="t"), ToolOutcome)
        assert_type(await session.generate("text", on_text=print), Generation)
        assert_type(await session.compact(lambda messages, custom: custom or ""), Compaction)
        assert_type(await session.stop("text", changed_files=[]), Stopped)
        assert_type(await session.status_line(branch="main"), str | None)
        with session.temporary_hook("PreToolUse", guard, matcher={"tool": "Bash"}) as hook:
            assert_type(hook, str)
        async with session.subagent("explore") as child:
            assert_type(child, Session)
    client.session(approval=approve_later, context=OwnContext(), display=OwnDisplay(), permissions="ask")
    client.session(approval=PendingApprovals())
    pending = client.session(approval="pending")
    assert_type(await pending.start(), Started)
    assert_type(pending.pending(), list[ApprovalRequest])
    pending.decide("id", "Deny")
    pending.decide("id", "Deny", reason="not today")
    client.session(approval=lambda request: Approval("Allow once", args={**request.args}))
    assert_type(await client.execute_tool("s1", "Bash", {"command": "ls"}), ToolOutcome)
    assert_type(await client.generate("s1", "text"), Generation)


class Agent(HookClient):
    """A client with an ``__init__`` of its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


assert_type(Agent("helper").name, str)
