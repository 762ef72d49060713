"""Hooks from files in dispatches: on every loop, without one, beside callbacks, and what goes in and comes out."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hookweave import Event, HookResponse, Outcome, PreToolUseEvent

from hook_files import hooks_file, server, settings
from support import LIMIT, new_client, until
from test_loops import LOOPS, pause

ECHO = """python3 -c '
import json, sys
event = json.load(sys.stdin)
print(json.dumps({"action": "block", "reason": event["args"]["command"]}))
'"""


@pytest.mark.parametrize("run", LOOPS)
def test_a_command_decides_on_every_loop(run: Callable[..., Any], tmp_path: Path) -> None:
    client = new_client()
    client.load(settings(tmp_path, "PreToolUse", {"command": "echo no >&2; exit 2"}, matcher="Bash"))

    async def main() -> list[Outcome[Any]]:
        return [await client.dispatch("PreToolUse", tool=tool, args={"command": "ls"}) for tool in ("Bash", "Read")]

    bash, read = run(main)
    assert (bash.decision, bash.blocked, bash.reason) == ("block", True, "no")
    assert bash.trace[0].duration > 0
    assert (read.decision, read.trace) == ("continue", [])


def test_without_a_loop_and_from_many_threads_at_once(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "command": ECHO}))

    def one(number: int) -> bool:
        outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={"command": f"echo {number}"})
        return outcome.blocked and outcome.reason == f"echo {number}"

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(40))) == [True] * 40


@pytest.mark.parametrize("run", [*LOOPS, None])
def test_a_mixed_chain_keeps_order_and_modifications(run: Callable[..., Any] | None, tmp_path: Path) -> None:
    client = new_client()
    seen: list[str] = []

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        seen.append(body["args"]["command"])
        return {"modified": {"args": {"command": body["args"]["command"] + " web"}}}

    with server(answer) as url:
        adds = """python3 -c '
import json, sys
args = json.load(sys.stdin)["args"]
print(json.dumps({"modified": {"args": {"command": args["command"] + " command"}}}))
'"""
        file = hooks_file(
            tmp_path,
            {"event": "PreToolUse", "command": adds, "priority": 0, "name": "command"},
            {"event": "PreToolUse", "webhook": {"url": url}, "priority": 2, "name": "web"},
        )
        client.load(file)

        @client.hook("PreToolUse", priority=-1)
        def first(event: PreToolUseEvent) -> HookResponse:
            seen.append(event.args["command"])
            return HookResponse.continue_(modified={"args": {"command": "first"}})

        @client.hook("PreToolUse", priority=1)
        def middle(event: PreToolUseEvent) -> HookResponse:
            seen.append(event.args["command"])
            return HookResponse.continue_(modified={"args": {"command": event.args["command"] + " middle"}})

        @client.hook("PreToolUse", priority=3)
        def last(event: PreToolUseEvent) -> None:
            seen.append(event.args["command"])

        async def main() -> Outcome[Any]:
            return await client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})

        now = partial(client.dispatch_sync, "PreToolUse", tool="Bash", args={"command": "ls"})
        outcome = now() if run is None else run(main)
    assert seen == ["ls", "first command", "first command middle", "first command middle web"]
    assert outcome.event.args == {"command": "first command middle web"}
    assert [entry.hook for entry in outcome.trace] == ["first", "command", "middle", "web", "last"]
    assert [entry.failure for entry in outcome.trace] == [None] * 5


@pytest.mark.parametrize("run", [*LOOPS, None])
def test_the_hooks_of_a_settings_file_run_side_by_side(run: Callable[..., Any] | None, tmp_path: Path) -> None:
    # Each waits for a file that another makes; one after the other they would wait for ever.
    meet = "cd $CLAUDE_PROJECT_DIR; touch {me}; until test -e {other}; do sleep 0.01; done; echo {me} >&2; exit 2"
    client = new_client(project_dir=tmp_path)
    client.load(
        settings(
            tmp_path,
            "PreToolUse",
            *({"command": meet.format(me=me, other=other), "timeout": LIMIT} for me, other in ("ab", "bc", "ca")),
        )
    )

    async def main() -> Outcome[Any]:
        return await client.dispatch("PreToolUse", tool="Bash", args={})

    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={}) if run is None else run(main)
    assert outcome.blocked and outcome.reason == "a", outcome.to_dict()
    assert [vote.reason for vote in outcome.votes] == ["a", "b", "c"]


@pytest.mark.parametrize("run", [*LOOPS, None])
def test_a_failure_says_what_failed(run: Callable[..., Any] | None, tmp_path: Path) -> None:
    client = new_client()
    client.load(
        hooks_file(
            tmp_path,
            {"event": "PreToolUse", "command": ["/no/such/guard"], "name": "gone"},
            {"event": "PreToolUse", "command": "sleep 600", "timeout": "50ms", "name": "slow"},
            {"event": "PreToolUse", "command": "exit 3", "name": "odd", "fail_behavior": "block"},
        )
    )

    async def main() -> Outcome[Any]:
        return await client.dispatch("PreToolUse", tool="Bash", args={})

    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={}) if run is None else run(main)
    failures = {entry.hook: entry.failure for entry in outcome.trace}
    assert {hook: failure and failure.kind for hook, failure in failures.items()} == {
        "gone": "not_started",
        "slow": "timeout",
        "odd": "exited",
    }
    gone = failures["gone"]
    assert gone is not None and "/no/such/guard" in gone.message
    assert outcome.blocked


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize("run", [*LOOPS, None])
@pytest.mark.parametrize("value", [object(), "rm \ud800", float("nan"), b"rm", {1: 2}, nested(126)], ids=lambda _: "")
def test_a_payload_that_is_no_json_does_not_get_past_a_guard(
    value: Any, run: Callable[..., Any] | None, tmp_path: Path
) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "command": "true", "name": "guard"}))
    client.load(settings(tmp_path, "PostToolUse", {"command": "true"}))
    seen: list[Any] = []
    client.register_hook("PreToolUse", lambda event: seen.append(event.args), priority=-1)
    fields: dict[str, Any] = {"tool": "Bash", "args": {"value": value}}

    async def main() -> list[Outcome[Any]]:
        result = {"success": True, "output": "", "duration": 1}
        return [
            await client.dispatch("PreToolUse", fields),
            await client.dispatch("PostToolUse", fields, result=result),
        ]

    gate, after = run(main) if run is not None else asyncio.run(main())
    if run is None:
        gate = client.dispatch_sync("PreToolUse", fields)
    failure = gate.trace[1].failure
    assert failure is not None and failure.kind == "not_started" and "payload_not_json" in failure.message
    assert gate.blocked and seen[0] == fields["args"]
    assert not after.blocked and after.trace[0].failure is not None


def test_a_nested_command_knows_how_deep_it_is(tmp_path: Path) -> None:
    client = new_client()
    command = 'printf \'{"action": "continue", "reason": "%s"}\' "$HOOKWEAVE_DEPTH"'
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": command}))
    depths: list[str | None] = []

    @client.hook("PreToolUse")
    def outer(event: Event) -> None:
        depths.append(client.dispatch_sync("Stop").trace[0].reason)

    depths.append(client.dispatch_sync("Stop").trace[0].reason)
    client.dispatch_sync("PreToolUse", tool="Bash", args={})
    first, second = (int(depth or "-9") for depth in depths)
    assert second == first + 1


@pytest.mark.parametrize("run", LOOPS)
def test_a_model_and_a_tool_of_the_host(run: Callable[..., Any], tmp_path: Path) -> None:
    client = new_client()
    call = {"type": "mcp_tool", "server": "scan", "tool": "check", "input": {"command": "${tool_input.command}"}}
    client.load(settings(tmp_path, "PreToolUse", {"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"}))
    client.load(settings(tmp_path, "PostToolUse", call))

    async def dispatch(name: str) -> Outcome[Any]:
        result = {"success": True, "output": "", "duration": 1}
        return await client.dispatch(name, tool="Bash", args={"command": "ls"}, result=result)

    nobody = [run(lambda name=name: dispatch(name)).trace[0].failure for name in ("PreToolUse", "PostToolUse")]
    assert ["set_judge" in nobody[0].message, "set_tool_caller" in nobody[1].message] == [True, True]
    assert nobody[0].kind == "not_started"

    questions: list[dict[str, Any]] = []

    def judge(question: dict[str, Any]) -> dict[str, Any]:
        questions.append(question)
        return {"ok": False, "reason": "not safe"}

    async def judge_later(question: dict[str, Any]) -> dict[str, Any]:
        return judge(question)

    for one in (judge, judge_later):
        client.set_judge(one)
        outcome = run(lambda: dispatch("PreToolUse"))
        assert outcome.blocked and outcome.reason == "not safe", outcome.to_dict()
    assert questions[0]["kind"] == "prompt" and '"ls"' in questions[0]["prompt"]

    calls: list[dict[str, Any]] = []

    def scan(question: dict[str, Any]) -> str:
        calls.append(question)
        return json.dumps({"decision": "block", "reason": "looked"})

    async def scan_later(question: dict[str, Any]) -> str:
        return scan(question)

    for caller in (scan, scan_later):
        client.set_tool_caller(caller)
        outcome = run(lambda: dispatch("PostToolUse"))
        assert outcome.feedback == ["looked"], outcome.to_dict()
    assert calls[0] == {"kind": "mcp_tool", "server": "scan", "tool": "check", "input": {"command": "ls"}}


@pytest.mark.parametrize("hooks", [1, 2])
@pytest.mark.parametrize("run", [*LOOPS, None])
def test_a_question_without_an_answer_keeps_a_worktree_from_being_made(
    run: Callable[..., Any] | None, hooks: int, tmp_path: Path
) -> None:
    def raises(question: dict[str, Any]) -> str:
        raise ConnectionError("no server")

    async def raises_later(question: dict[str, Any]) -> str:
        raise ConnectionError("no server")

    async def hangs(question: dict[str, Any]) -> str:
        await pause(3600)
        return ""

    async def gives_up(question: dict[str, Any]) -> str:
        raise asyncio.CancelledError

    callers: list[tuple[Any, str]] = [(raises, "raised"), (None, "not_started")]
    if run is None:
        callers.append((hangs, "invalid_answer"))
    else:
        callers += [(raises_later, "raised"), (hangs, "timeout")]
        callers += [] if "trio" in run.__name__ else [(gives_up, "cancelled")]
    for caller, kind in callers:
        client = new_client()
        limit = 0.2 if kind == "timeout" else LIMIT
        tools = [{"type": "mcp_tool", "server": "s", "tool": f"t{number}", "timeout": limit} for number in range(hooks)]
        client.load(settings(tmp_path, "WorktreeCreate", *tools))
        client.set_tool_caller(caller)
        if run is None:
            outcome = client.dispatch_sync("WorktreeCreate", {"name": "feature"})
        else:

            async def main(client: Any = client) -> Outcome[Any]:
                return await client.dispatch("WorktreeCreate", {"name": "feature"})

            outcome = run(main)
        failures = [entry.failure for entry in outcome.trace]
        assert outcome.blocked, (caller, outcome.to_dict())
        assert [failure and failure.kind for failure in failures] == [kind] * hooks
        if kind == "raised":
            assert isinstance(failures[0] and failures[0].error.__cause__, ConnectionError)


def test_a_model_without_a_loop(tmp_path: Path) -> None:
    client = new_client()
    client.load(settings(tmp_path, "PreToolUse", {"type": "prompt", "prompt": "Safe?"}))
    client.set_judge(lambda question: {"ok": False, "reason": "no"})
    assert client.dispatch_sync("PreToolUse", tool="Bash", args={}).reason == "no"

    async def later(question: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True}

    client.set_judge(later)
    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={})
    failure = outcome.trace[0].failure
    assert failure is not None and "await client.dispatch" in failure.message
    assert outcome.blocked

    client.set_judge(lambda question: object())
    failure = client.dispatch_sync("PreToolUse", tool="Bash", args={}).trace[0].failure
    assert failure is not None and "JSON" in failure.message


def test_a_model_that_hangs_is_out_of_time(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "prompt": {"text": "Safe?"}, "timeout": "50ms"}))

    async def never(question: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {"ok": True}

    client.set_judge(never)

    async def main() -> Outcome[Any]:
        return await client.dispatch("PreToolUse", tool="Bash", args={})

    failure = asyncio.run(main()).trace[0].failure
    assert failure is not None and failure.kind == "timeout"


def test_a_closed_client_kills_what_runs_and_starts_nothing(tmp_path: Path) -> None:
    client = new_client()
    command = f"touch {tmp_path}/begun; sleep 600"
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": command, "name": "long", "timeout": 600}))
    outcomes: list[Outcome[Any]] = []
    thread = threading.Thread(target=lambda: outcomes.append(client.dispatch_sync("Stop")))
    thread.start()
    until((tmp_path / "begun").exists)
    client.close()
    thread.join(LIMIT)
    assert not thread.is_alive()
    failure = outcomes[0].trace[0].failure
    assert failure is not None and failure.kind in ("cancelled", "not_started")


def test_what_a_command_finds_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "secret")
    command = 'printf \'{"action": "continue", "reason": "%s"}\' "$SERVICE_TOKEN|$PWD"'
    file = hooks_file(tmp_path, {"event": "Stop", "command": command})
    environments = {}
    for scrub in (False, True):
        client = new_client(project_dir=tmp_path, scrub_environment=scrub)
        client.load(file)
        environments[scrub] = client.dispatch_sync("Stop").trace[0].reason
    real = os.path.realpath(tmp_path)
    assert environments == {False: f"secret|{real}", True: f"|{real}"}
