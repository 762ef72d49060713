"""What holds for every framework: each check gets the function that runs the scripted agent in it."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from world import DONE, LIMIT, REDACTED, RULES, SECRET, BrokenClient, How, Seen, World, turn

Run: TypeAlias = Callable[[World, list[Any], How], Awaitable[Seen]]
HERE = Path(__file__).parent


async def block(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("bash", {"command": "rm -rf /"})), DONE], How())
    assert world.ran == []
    assert "no mass deletion" in seen.requests[-1]
    assert not world.count("PostToolUse") and not world.count("PostToolUseFailure")
    assert seen.final == DONE


async def a_blocked_result_is_marked_as_failed(run: Run) -> None:
    seen = await run(World().policy(), [turn(("bash", {"command": "rm -rf /"})), DONE], How())
    assert seen.failed == {"c0": True}


async def modify_args(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("bash", {"command": "ls"})), DONE], How())
    assert world.ran == ["bash ls --safe"]
    assert "ran ls --safe" in seen.requests[-1]
    assert world.count("PreToolUse") == world.count("PostToolUse") == 1
    assert seen.final == DONE


async def redact_result(run: Run) -> None:
    seen = await run(World().policy(), [turn(("read", {"path": "a"}), ("read", {"path": "b"})), DONE], How())
    last = seen.requests[-1]
    assert SECRET not in "".join(seen.requests)
    assert last.count(REDACTED) == 2
    assert "a secret was removed" in last


async def a_note_follows_all_results(run: Run) -> None:
    seen = await run(World().policy(), [turn(("read", {"path": "a"}), ("read", {"path": "b"})), DONE], How())
    last = seen.requests[-1]
    assert last.index("a secret was removed") > last.rindex(REDACTED)


async def feedback(run: Run) -> None:
    seen = await run(World().policy(), [turn(("bash", {"command": "lint"})), DONE], How())
    assert "ran lint" in seen.requests[-1] and "lint: 3 errors" in seen.requests[-1]


async def ask_and_deny(run: Run) -> None:
    world, asked = World().policy(), []

    def person(request: Any) -> str:
        asked.append(request.prompt)
        return "Deny"

    seen = await run(world, [turn(("fetch", {"url": "x.example"})), DONE], How(approval=person))
    assert (world.ran, asked) == ([], ["fetch x.example?"])
    assert "denied" in seen.requests[-1]
    assert world.count("PermissionDenied") == 1


async def ask_and_approve(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("fetch", {"url": "x.example"})), DONE], How(approval=lambda r: "Allow once"))
    assert world.ran == ["fetch x.example"]
    assert "page x.example" in seen.requests[-1]
    assert world.count("PermissionGranted") == 1


async def ask_nobody(run: Run) -> None:
    world = World().policy()
    await run(world, [turn(("fetch", {"url": "x.example"})), DONE], How())
    assert world.ran == []


async def suspended(run: Run, world: World, script: list[Any], folder: Path) -> Any:
    """What a framework needs to go on after a question."""
    seen = await run(world, script, How(asks=True, state=folder))
    if seen.raised is not None:
        raise seen.raised
    assert seen.suspended is not None
    return seen.suspended


async def elsewhere(
    run: Run, stopped: Any, folder: Path, said: dict[str, bool], policy: str = "policy"
) -> dict[str, Any]:
    """What came of going on in another process."""
    given = {"stopped": stopped, "state": str(folder), "said": said, "policy": policy}
    command = [sys.executable, str(HERE / "resume.py"), run.__module__]
    done = await asyncio.to_thread(
        subprocess.run, command, input=json.dumps(given), capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


async def suspend_and_approve_in_another_process(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World().policy()
        stopped = await suspended(run, world, [turn(("fetch", {"url": "x.example"}))], Path(folder))
        assert world.ran == []
        done = await elsewhere(run, stopped, Path(folder), {"c0": True})
        assert done["ran"] == ["fetch x.example"]
        assert "page x.example" in done["requests"][-1] and done["final"] == DONE


async def suspend_and_deny_in_another_process(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World().policy()
        stopped = await suspended(run, world, [turn(("fetch", {"url": "x.example"}))], Path(folder))
        done = await elsewhere(run, stopped, Path(folder), {"c0": False})
        assert world.ran == done["ran"] == []
        assert done["final"] == DONE


async def a_denial_is_heard(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stopped = await suspended(run, World().policy(), [turn(("fetch", {"url": "x.example"}))], Path(folder))
        done = await elsewhere(run, stopped, Path(folder), {"c0": False})
        assert done["denied"] == 1


async def two_questions_at_once(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World().policy()
        calls = turn(("fetch", {"url": "a"}), ("bash", {"command": "pwd"}), ("fetch", {"url": "b"}))
        stopped = await suspended(run, world, [calls], Path(folder))
        done = await elsewhere(run, stopped, Path(folder), {"c0": False, "c2": True})
        assert sorted(world.ran + done["ran"]) == ["bash pwd", "fetch b"]
        assert "page b" in done["requests"][-1] and "page a" not in done["requests"][-1]


async def a_hook_that_asks_once_is_denied_after_all(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World().asks_once()
        stopped = await suspended(run, world, [turn(("bash", {"command": "pwd"}))], Path(folder))
        done = await elsewhere(run, stopped, Path(folder), {"c0": False}, policy="asks_once")
        assert world.ran == done["ran"] == []


async def a_denial_holds_if_no_hook_asks_any_more(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World().asks_once()
        stopped = await suspended(run, world, [turn(("bash", {"command": "pwd"}))], Path(folder))
        done = await elsewhere(run, stopped, Path(folder), {"c0": False}, policy="no_policy")
        assert world.ran == done["ran"] == []


async def retry(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("flaky", {"what": "x"})), DONE], How())
    assert world.ran == ["flaky 1", "flaky 2"]
    assert "got x" in seen.requests[-1] and "connection lost" not in seen.requests[-1]


async def stop_ends_the_turn(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("bash", {"command": "halt"})), DONE], How())
    assert world.ran == [] and len(seen.requests) == 1


async def stop_hook_keeps_the_agent_at_work(run: Run) -> None:
    world = World().policy().keeps_at_work()
    seen = await run(world, ["first", DONE], How())
    assert len(seen.requests) == 2 and "run the tests first" in seen.requests[-1]
    assert seen.final == DONE and world.count("Stop") == 2


async def prompt_refused(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [DONE], How(prompt="evil things"))
    assert world.count("UserPromptSubmit") == 1 and seen.requests == []
    assert "not such prompts" in f"{seen.final} {seen.raised}"


async def prompt_changed(run: Run) -> None:
    seen = await run(World().policy(), [DONE], How(prompt="a draft"))
    assert "a final" in seen.requests[0] and "a draft" not in "".join(seen.requests)


async def context_injected(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("bash", {"command": "pwd"})), DONE], How())
    assert seen.requests[-1].count(RULES) == 1
    assert RULES in seen.requests[0]
    assert world.count("SessionStart") == world.count("SessionEnd") == 1
    assert len(world.sessions) == 1


async def tool_error(run: Run) -> None:
    script = [turn(("broken", {"what": "x"})), DONE]
    bare = await run(World(), list(script), How(bare=True))
    world = World().policy()
    seen = await run(world, list(script), How())
    assert world.count("PostToolUseFailure") == 1 and not world.count("PostToolUse")
    assert (type(seen.raised), str(seen.raised)) == (type(bare.raised), str(bare.raised))
    assert seen.failed == bare.failed
    if bare.raised is None:
        assert bare.requests[-1].splitlines()[-1] in seen.requests[-1]


async def no_hooks_is_the_bare_transcript(run: Run) -> None:
    script = [turn(("bash", {"command": "ls"}), ("fetch", {"url": "u"})), turn(("read", {"path": "a"}), id="d"), DONE]
    bare, hooked = World(), World()
    one, two = await run(bare, list(script), How(bare=True)), await run(hooked, list(script), How())
    assert one.raised is None and one.final == DONE
    assert one.requests == two.requests
    assert (one.final, one.failed, sorted(bare.ran)) == (two.final, two.failed, sorted(hooked.ran))


async def conversations_never_mix(run: Run) -> None:
    world = World().policy()
    noted = {"tool": "read"}
    world.client.register_hook(
        "PreToolUse", lambda e: {"inject": f"note {e.session_id} {e.args['path']}"}, matcher=noted
    )
    hooks = run.adapter(world, How())  # type: ignore[attr-defined]

    async def one(number: int) -> Seen:
        script = [turn(("read", {"path": f"p{number}"})), DONE]
        return await run(world, script, How(conversation=f"chat-{number}", hooks=hooks))

    sessions = set()
    for number, seen in enumerate(await asyncio.gather(*(one(number) for number in range(20)))):
        last = seen.requests[-1]
        assert seen.final == DONE, seen
        ((session, path),) = re.findall(r"note (\S+) (p\d+)", last)
        assert path == f"p{number}" and f"in {path}" in last
        sessions.add(session)
    assert len(sessions) == len(world.sessions) == world.count("SessionStart") == 20


async def sync_run(run: Run) -> None:
    world = World().policy()
    script = [turn(("bash", {"command": "ls"}), ("bash", {"command": "rm -rf /"})), DONE]
    seen = await run(world, script, How(sync=True))
    assert world.ran == ["bash ls --safe"] and "no mass deletion" in seen.requests[-1] and seen.final == DONE


async def a_streamed_result_was_judged(run: Run) -> None:
    world = World().policy()
    seen = await run(world, [turn(("read", {"path": "a"})), DONE], How(stream=True))
    assert world.ran == ["read a"] and seen.raised is None
    assert SECRET not in seen.streamed and REDACTED in seen.streamed and DONE in seen.streamed
    assert "a secret was removed" in seen.requests[-1]


async def a_bug_refuses(run: Run) -> None:
    world = World().policy()
    world.client.__class__ = BrokenClient
    await run(world, [turn(("bash", {"command": "ls"})), DONE], How())
    assert world.ran == []


async def cancelled_while_a_tool_runs(run: Run) -> None:
    world = World().policy()
    task = asyncio.ensure_future(run(world, [turn(("slow", {"n": 1})), DONE], How()))
    await asyncio.to_thread(world.active.wait, LIMIT)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert world.ran == [] and not world.count("PostToolUse") and not world.count("PostToolUseFailure")


async def subagent(run: Run) -> None:
    world = World().policy()
    inner = [turn(("bash", {"command": "ls"}), id="s"), "sub done"]
    seen = await run(world, [turn(("task", {"what": "look"})), DONE], How(subagent=inner))
    assert world.ran == ["bash ls --safe"], seen
    assert world.count("SubagentStart") == world.count("SubagentStop") == 1
    assert all(agent is not None for name, about, agent in world.events if about == "bash")
    assert not any(world.count("UserPromptSubmit", prompt) for prompt in ("look", "SUBAGENT look"))
    assert "sub done" in seen.requests[-1]


CHECKS = [
    block,
    a_blocked_result_is_marked_as_failed,
    modify_args,
    redact_result,
    a_note_follows_all_results,
    feedback,
    ask_and_deny,
    ask_and_approve,
    ask_nobody,
    suspend_and_approve_in_another_process,
    suspend_and_deny_in_another_process,
    a_denial_is_heard,
    two_questions_at_once,
    a_hook_that_asks_once_is_denied_after_all,
    a_denial_holds_if_no_hook_asks_any_more,
    retry,
    stop_ends_the_turn,
    stop_hook_keeps_the_agent_at_work,
    prompt_refused,
    prompt_changed,
    context_injected,
    tool_error,
    no_hooks_is_the_bare_transcript,
    conversations_never_mix,
    sync_run,
    a_streamed_result_was_judged,
    a_bug_refuses,
    cancelled_while_a_tool_runs,
    subagent,
]


def parameters(run: Run, impossible: dict[str, str]) -> list[Any]:
    """The checks as pytest's parameters; one that a framework makes impossible fails once it becomes possible."""
    unknown = impossible.keys() - {check.__name__ for check in CHECKS}
    assert not unknown, f"no such checks: {unknown}"
    framework = run.__module__.removeprefix("agent_")
    marks = {name: [pytest.mark.xfail(reason=why, strict=True)] for name, why in impossible.items()}
    return [
        pytest.param(run, check, id=f"{framework}-{check.__name__}", marks=marks.get(check.__name__, []))
        for check in CHECKS
    ]
