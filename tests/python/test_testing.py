"""Testing help: asserts hold when they should, and what they say when they do not shows the whole decision."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import EventName, HookClient, HookResponse, ModelRequest, ModelResponse, PreToolUseEvent
from hookweave.testing import (
    Judged,
    RecordingTool,
    ScriptedApprover,
    ScriptedModel,
    WatchedClient,
    assert_allowed,
    assert_asked,
    assert_blocked,
    assert_continues,
    assert_failed,
    assert_injected,
    assert_matches_snapshot,
    assert_message,
    assert_modified,
    assert_not_selected,
    assert_objected,
    assert_ran,
    describe,
    dispatch,
    dispatch_sync,
    event,
    prompt_event,
    tool_call,
    tool_event,
    tool_result_event,
    trace_snapshot,
)

from support import LIMIT, new_client


def judged(answer: Any, **options: Any) -> Judged:
    """What comes of a Bash call that one hook, called `hook`, answers so."""
    client = new_client()
    client.register_hook("PreToolUse", lambda event: answer, name="hook", **options)
    client.register_hook("PreToolUse", lambda event: None, name="writes", matcher={"tool": "Write"})
    return dispatch_sync(client, tool_event("Bash", command="ls", timeout=5))


BLOCK = HookResponse.block("not here")
ALLOW = HookResponse.allow()
ASK = HookResponse.ask("really?")
CHANGE = HookResponse.continue_(modified={"args": {"command": "ls -l", "timeout": 5}})
TELL = HookResponse.continue_(message="hello").inject("a hint")


@pytest.mark.parametrize(
    ("answer", "check"),
    [
        (BLOCK, lambda it: assert_blocked(it)),
        (BLOCK, lambda it: assert_blocked(it, reason="not", by="hook")),
        (BLOCK, lambda it: assert_blocked(it, reason=re.compile("^not here$"))),
        (ALLOW, lambda it: assert_allowed(it, by="hook")),
        (ALLOW, lambda it: assert_continues(it)),
        (None, lambda it: assert_continues(it)),
        (ASK, lambda it: assert_asked(it, prompt="really", by="hook")),
        (CHANGE, lambda it: assert_modified(it)),
        (CHANGE, lambda it: assert_modified(it, args={"command": "ls -l"})),
        (TELL, lambda it: assert_injected(it, "hint", by="hook", role="system")),
        (TELL, lambda it: assert_message(it, "hello", by="hook", level="info")),
        (None, lambda it: assert_ran(it, ["hook"])),
        (None, lambda it: assert_not_selected(it, "writes", why="Bash")),
    ],
)
def test_holds(answer: Any, check: Callable[[Judged], None]) -> None:
    check(judged(answer))


@pytest.mark.parametrize(
    ("answer", "check", "says"),
    [
        (None, lambda it: assert_blocked(it), "expected to be blocked, but the decision is `continue`"),
        (BLOCK, lambda it: assert_blocked(it, reason="there"), "expected a reason with 'there', but it is 'not here'"),
        (BLOCK, lambda it: assert_blocked(it, reason=re.compile("x+")), "expected a reason that fits /x+/, but it is"),
        (BLOCK, lambda it: assert_blocked(it, by="other"), "expected that `other` decides, but it was `hook`"),
        (None, lambda it: assert_allowed(it), "expected to be allowed, but the decision is `continue`"),
        (BLOCK, lambda it: assert_continues(it), "expected to continue, but the decision is `block`"),
        (ASK, lambda it: assert_continues(it), "expected to continue, but the decision is `ask`"),
        (ALLOW, lambda it: assert_asked(it), "expected that a person is asked, but none is"),
        (ASK, lambda it: assert_asked(it, prompt="what"), "a question with 'what'; there is 'really?' of `hook`"),
        (None, lambda it: assert_modified(it), "expected that a hook changes the event, but none does"),
        (None, lambda it: assert_modified(it, args={}), "args: expected {}, but no hook changed it"),
        (CHANGE, lambda it: assert_modified(it, args={"command": "w"}), "args.command: expected 'w', came 'ls -l'"),
        (CHANGE, lambda it: assert_modified(it, args={"cwd": "w"}), "args.cwd: expected 'w', but it is not there"),
        (None, lambda it: assert_injected(it), "expected context; there is none"),
        (TELL, lambda it: assert_injected(it, role="user"), "expected context as user; there is none"),
        (TELL, lambda it: assert_injected(it, by="other"), "context of `other`; there is 'a hint' of `hook`"),
        (TELL, lambda it: assert_message(it, level="error"), "expected a message of level error; there is none"),
        (None, lambda it: assert_objected(it), "expected an objection; there is none"),
        (None, lambda it: assert_ran(it, ["hook", "x"]), "expected ['hook', 'x']\n  ran      ['hook']"),
        (None, lambda it: assert_not_selected(it, "hook"), "expected that `hook` is not selected, but it was"),
        (None, lambda it: assert_not_selected(it, "writes", why="path"), "with 'path'; there is"),
        (None, lambda it: assert_not_selected(it, "wrties"), "no hook of the event is called so"),
        (None, lambda it: assert_failed(it), "expected that a hook fails, but it did not"),
    ],
)
def test_fails_and_shows_the_decision(answer: Any, check: Callable[[Judged], None], says: str) -> None:
    with pytest.raises(AssertionError) as failed:
        check(judged(answer))
    text = str(failed.value)
    assert says in text
    # The whole decision: which hook, what it said, which one was not selected and why.
    assert "PreToolUse of Bash: " in text
    assert re.search(r"hook +ran ", text) is not None
    assert "not selected  tool `Bash` does not match `Write`" in text


def raises(event: PreToolUseEvent) -> None:
    raise ValueError("no disk")


def test_a_failure_is_given_by_its_assert() -> None:
    client = new_client()
    client.register_hook("PreToolUse", raises)
    outcome = dispatch_sync(client, tool_event("Bash"))
    assert isinstance(assert_failed(outcome, "raises", "raised", message="no disk").error.__cause__, ValueError)
    with pytest.raises(AssertionError, match="of kind `timeout`, but what failed is `raises` raised: "):
        assert_failed(outcome, kind="timeout")
    with pytest.raises(AssertionError, match="expected that `other` fails"):
        assert_failed(outcome, "other")


def test_an_objection_to_what_has_happened() -> None:
    client = new_client()
    client.register_hook("PostToolUse", lambda event: HookResponse.block("too long"))
    outcome = dispatch_sync(client, tool_result_event("Bash", {"command": "ls"}, output="x", exit_code=1))
    assert outcome.event.result.exit_code == 1
    assert_objected(outcome, reason="long")
    with pytest.raises(AssertionError, match="it cannot be blocked any more"):
        assert_blocked(outcome)


def test_a_forgotten_await_is_said() -> None:
    client = new_client()
    running: Any = client.dispatch("Stop")
    with pytest.raises(TypeError, match="not a Dispatch; was `await` forgotten"):
        assert_blocked(running)
    running.close()


def test_every_event_of_the_catalogue_can_be_raised_by_its_name() -> None:
    client = new_client()
    for known in client.catalogue():
        outcome = dispatch_sync(client, known["name"])
        assert outcome.event.event_type == known["name"]
        assert outcome.event.session_id == "test-session"
        required = [field["name"] for field in known["fields"] if not field["optional"]]
        assert set(required) <= outcome.event.to_dict().keys(), known["name"]


def test_events_have_values_of_their_own() -> None:
    first: Any = event("PostToolUse")
    first.to_dict()["result"]["output"] = "changed"
    first.result["output"] = "changed"
    second: Any = event("tool:post", tool="Edit")
    assert (second.tool, second.result.output) == ("Edit", "")
    assert prompt_event("hi").prompt == "hi"
    assert tool_event("T", {"tool": 1}, command="x").args == {"tool": 1, "command": "x"}


def test_custom_events_and_unknown_ones() -> None:
    client = new_client()
    client.register_hook(EventName("deploy:start"), lambda event: HookResponse.block(event["where"]))
    assert_blocked(dispatch_sync(client, "deploy:start", where="production"), reason="production")
    with pytest.raises(LookupError, match="no event of the catalogue is called `Deploy`"):
        event("Deploy")
    with pytest.raises(TypeError, match="has its fields already"):
        dispatch_sync(client, tool_event("Bash"), tool="Edit")


def test_async_hooks_run_with_and_without_a_loop() -> None:
    client = new_client()

    async def guard(event: PreToolUseEvent) -> HookResponse:
        await asyncio.sleep(0)
        return HookResponse.block("later")

    client.register_hook("PreToolUse", guard)
    assert_blocked(dispatch_sync(client, tool_event("Bash")), reason="later")

    async def main() -> None:
        assert_blocked(await dispatch(client, "PreToolUse", args={}), reason="later")
        with pytest.raises(RuntimeError, match=re.escape("use `await dispatch(…)`")):
            dispatch_sync(client, tool_event("Bash"))

    asyncio.run(main())


def tells_output(request: ModelRequest) -> Any:
    return next(message.content["output"] for message in request.messages if message.role == "tool")


async def generated(client: HookClient, approver: ScriptedApprover) -> tuple[Any, Any]:
    model = ScriptedModel(tool_call("Bash", command="ls"), tells_output)
    tool = RecordingTool(lambda args: f"ran {args['command']}")
    client.register_model(model)
    client.register_tool("Bash", tool)
    generation = await client.session(approval=approver).generate("list")
    assert (model.unused, len(model.requests)) == (0, 2)
    return generation, tool


def test_a_whole_agent_by_script() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: ASK, name="asks")
    client.register_hook("PostToolUse", lambda event: TELL, name="tells")
    approver = ScriptedApprover(True)
    generation, tool = asyncio.run(generated(client, approver))
    assert tool.calls == [{"command": "ls"}]
    assert generation.text == "ran ls"
    approver.assert_done()
    assert_continues(generation)
    assert_injected(generation, "hint", by="tells")
    assert_ran(generation, ["asks", "tells"])
    (call,) = generation.tools
    assert_allowed(call)
    assert_asked(call, prompt="really?")
    assert describe(call).startswith("call of Bash: ran, ")
    assert describe(generation).startswith("generation: done; model calls: 2\n  ")
    with pytest.raises(AssertionError, match="expected to be blocked, but the decision is `done`"):
        assert_blocked(generation)


def test_what_a_person_denies_is_blocked() -> None:
    async def main() -> Any:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: ASK, name="asks")
        return await client.session(approval=ScriptedApprover(False)).run_tool("Bash", {}, RecordingTool())

    call = asyncio.run(main())
    assert_blocked(call, by="user", reason="user denied")
    with pytest.raises(
        AssertionError, match="expected to continue, but the decision is `deny`\n\ncall of Bash: did not run"
    ):
        assert_continues(call)


def test_scripts_that_do_not_fit() -> None:
    def ask(*answers: Any) -> ScriptedApprover:
        approver = ScriptedApprover(*answers)

        async def main() -> None:
            client = new_client()
            client.register_hook("PreToolUse", lambda event: ASK)
            call = await client.session(approval=approver).run_tool("Bash", {}, RecordingTool())
            assert not call.ran

        asyncio.run(main())
        return approver

    with pytest.raises(AssertionError, match=r"has 0 answers, and 1 question came:\n  1. really\?"):
        ask().assert_done()
    with pytest.raises(AssertionError, match="has 2 answers, and 1 question came"):
        ask("Deny", "Deny").assert_done()
    with pytest.raises(AssertionError, match="answers 'Perhaps' to `really"):
        ask("Perhaps").assert_done()
    unasked = ScriptedApprover()
    unasked.answer("Deny")
    with pytest.raises(AssertionError, match=r"has 1 answer, and 0 questions came$"):
        unasked.assert_done()


def test_scripted_models_and_tools_raise_what_they_are_told() -> None:
    async def main() -> None:
        client = new_client()
        client.register_model(ScriptedModel(ModelResponse("first"), OSError("no network")))
        session = client.session()
        assert (await session.generate("a")).text == "first"
        assert "no network" in str((await session.generate("b")).reason)
        assert "is called for time 3, but its script has 2 answers" in str((await session.generate("c")).reason)
        call = await session.run_tool("Bash", {}, RecordingTool(ValueError("no disk")))
        assert "no disk" in str(call.error)

    asyncio.run(main())


def test_a_watched_client_knows_unexpected_failures() -> None:
    client = WatchedClient()
    client.register_hook("PreToolUse", raises)
    outcome = dispatch_sync(client, tool_event("Bash"))
    assert client.outcomes == [outcome]
    with pytest.raises(AssertionError, match="hooks failed unexpectedly: `raises`") as failed:
        client.assert_no_failures()
    assert "no disk" in str(failed.value)
    client.assert_no_failures(may_fail="raises")
    client.assert_no_failures(may_fail=["raises"])
    client.assert_no_failures(may_fail=True)
    assert_failed(outcome, "raises")
    client.assert_no_failures()
    client.dispatch_sync("PreToolUse", tool="Bash", args={})
    with pytest.raises(AssertionError, match="unexpectedly"):
        client.assert_no_failures()


def test_a_watched_client_hears_of_sessions_and_of_the_background() -> None:
    client = WatchedClient()
    client.register_hook("PostToolUse", raises, name="late", detached=True)

    async def main() -> None:
        await client.session().run_tool("Bash", {}, RecordingTool())
        await client.drain(LIMIT)

    asyncio.run(main())
    assert [outcome.event.event_type for outcome in client.outcomes] == ["PreToolUse", "PostToolUse"]
    with pytest.raises(AssertionError, match="a hook failed unexpectedly: detached hook late failed on PostToolUse"):
        client.assert_no_failures()
    client.assert_no_failures(may_fail="late")
    other = WatchedClient()
    dispatch_sync(other, tool_event("Bash"))
    other.assert_no_failures()


def test_hooks_in_the_background_come_to_their_end() -> None:
    ended = []

    async def late(event: PreToolUseEvent) -> None:
        await asyncio.sleep(0.01)
        ended.append(event.tool)

    client = WatchedClient()
    client.register_hook("PreToolUse", late, detached=True)
    assert_ran(dispatch_sync(client, tool_event("Bash")), ["late"])
    assert ended == ["Bash"]
    client.assert_no_failures()


def test_the_order_in_which_hooks_ran_matters() -> None:
    client = new_client()
    for name in ("first", "second"):
        client.register_hook("Stop", lambda event: None, name=name)
    outcome = dispatch_sync(client, "Stop")
    assert_ran(outcome, ["first", "second"])
    with pytest.raises(AssertionError, match="other hooks ran than expected"):
        assert_ran(outcome, ["second", "first"])


def test_a_snapshot_is_plain_data_that_stays_the_same() -> None:
    def snapshot() -> dict[str, Any]:
        folder = tempfile.mkdtemp()
        client = new_client()
        client.register_hook(
            "PreToolUse", lambda event: HookResponse.block(f"{folder}/x of {event.session_id}"), name="g"
        )
        return trace_snapshot(client.dispatch_sync("PreToolUse", tool="Bash", args={}), names={"x of": "<what>"})

    first = snapshot()
    assert json.loads(json.dumps(first)) == first == snapshot()
    assert first == {
        "event": "PreToolUse",
        "tool": "Bash",
        "decision": "block",
        "blocked": True,
        "by": "g",
        "reason": "<tmp>/<what> <session>",
        "hooks": [{"hook": "g", "status": "ran", "action": "block", "reason": "<tmp>/<what> <session>"}],
    }


def test_snapshots_of_what_has_no_json_form() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: {"modified": {"args": {"when": Path("x")}}}, name="odd")
    outcome = dispatch_sync(client, tool_event("Bash"))
    text = describe(outcome)
    assert trace_snapshot(outcome)["modified"]["args"].startswith("<"), text
    assert "no JSON form" in text


def test_names_of_snapshots_stay_in_their_folder() -> None:
    for name in ("../x", "a/b", "", ".hidden"):
        with pytest.raises(ValueError, match="no name of a snapshot"):
            assert_matches_snapshot(judged(None), name)
