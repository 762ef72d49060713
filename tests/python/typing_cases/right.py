"""Code that type checkers must accept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, assert_type

from hookweave import (
    Dispatch,
    Event,
    EventName,
    Finding,
    GenerateEndEvent,
    HookClient,
    HookResponse,
    LateAnswer,
    LoadReport,
    Outcome,
    PermissionRequestEvent,
    PreToolUseEvent,
    ReloadReport,
    StopEvent,
    UntrustedHook,
    WireAnswer,
)

client = HookClient(profile="a3s", default_timeout=timedelta(seconds=2), max_total_hooks=None, mode="sequential")


@client.hook("PreToolUse", matcher={"tool": "Bash"}, priority=0, timeout=3.0, fail_behavior="block")
async def guard(event: PreToolUseEvent) -> HookResponse | None:
    if "rm -rf /" in event.args.get("command", ""):
        return HookResponse.block("Dangerous command blocked").inject("context").message("text", "warning")
    assert_type(event.tool, str)
    assert_type(event.args, dict[str, Any])
    assert_type(event.session_id, str)
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
