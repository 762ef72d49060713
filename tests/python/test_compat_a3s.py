"""A3S's Python SDK on the engine: what its client registers, configures and answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import ConfigError, Event, HookweaveError, InvalidHookError, InvalidMatcherError
from hookweave.compat import a3s
from hookweave.compat.a3s import A3sClient, HookResponse, PreToolUseEvent, ToolErrorEvent

from compat_documents import example, run


def test_the_document_s_example_runs_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        heard = []

        async def my_handler(event: Event) -> HookResponse:
            heard.append(event.tool)
            return HookResponse.continue_()

        original = A3sClient

        class Client(original):
            """The same, with the model and tool that the example's sandbox brings."""

            def __new__(cls) -> Any:
                client = super().__new__(cls)
                client.register_tool("Bash", lambda args: f"ran {args['command']}")
                client.register_model(model)
                return client

        def model(request: Any) -> Any:
            usage = {"total_tokens": 42}
            if request.messages[-1].role == "tool":
                return {"text": "done", "usage": usage}
            return {"text": "", "usage": usage, "tool_calls": [{"name": "Bash", "args": {"command": "ls"}}]}

        a3s.A3sClient = Client
        try:
            names = await run(example("a3s", "python sdk"), my_handler=my_handler, session_id="s-1")
        finally:
            a3s.A3sClient = original
        client = names["client"]
        assert [hook.name for hook in client.list_hooks()] == ["validate_bash", "format_python", "log_generation"]
        assert names["response"].text == "done"
        assert heard == ["Bash"], "the temporary hook ran in its block"
        assert capsys.readouterr().out == "Generated 42 tokens\n" * 2
        blocked = await client.dispatch("PreToolUse", tool="Bash", args={"command": "rm -rf /"})
        assert (blocked.blocked, blocked.reason) == (True, "Dangerous command blocked")
        assert not (await client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})).blocked
        assert heard == ["Bash"], "and not after it"

    asyncio.run(main())


@pytest.mark.parametrize("event", ["ToolError", ToolErrorEvent])
def test_a_failed_tool_s_event_is_called_as_a3s_calls_it(event: Any) -> None:
    async def main() -> None:
        client = A3sClient()
        seen: list[Any] = []
        for_a_time: list[Any] = []

        async def retry(event: ToolErrorEvent) -> HookResponse:
            seen.extend([event.event_type, event.tool, event["event_type"], event.error, type(event)])
            seen.extend([event.to_dict()["event_type"], json.loads(event.to_json())["event_type"]])
            event.args["command"] = "changed"
            return HookResponse.retry(delay=1)

        client.register_hook(event, retry)
        with client.temporary_hook(event, lambda event: for_a_time.extend([event.event_type, event.args])):
            outcome = await client.dispatch("ToolError", tool="Bash", args={"command": "ls"}, error="no")
        assert seen == ["ToolError", "Bash", "ToolError", "no", ToolErrorEvent, "ToolError", "ToolError"]
        assert for_a_time == ["ToolError", {"command": "ls"}]
        assert (outcome.decision, outcome.delay) == ("retry", 0.001)
        assert client.list_hooks()[0].name == "retry"
        assert outcome.event.event_type == "PostToolUseFailure"

    asyncio.run(main())


def test_the_names_of_a3s_code_are_registered_in_its_profile() -> None:
    async def main() -> None:
        client, heard = A3sClient(profile="a3s-code"), []
        for name in ("pre_compact", "post_compact", "post_response"):
            client.register_hook(name, lambda event: heard.append(event.event_type))
        await client.dispatch("PreCompact", trigger="auto")
        await client.dispatch("PostCompact", trigger="auto")
        await client.dispatch("Stop")
        assert heard == ["PreCompact", "PostCompact", "Stop"]

    asyncio.run(main())


def matched(client: A3sClient, tool: str, **args: Any) -> list[str]:
    explanation = client.explain("PreToolUse", tool=tool, args=args)
    return [hook.hook for hook in explanation.hooks if hook.matched]


def test_matchers_are_known_in_both_spellings_and_a_tool_is_a_whole_name() -> None:
    client = A3sClient()

    def add(name: str, **matcher: Any) -> None:
        def handler(event: PreToolUseEvent) -> None: ...

        handler.__name__ = name
        client.register_hook("PreToolUse", handler, matcher=matcher)

    add("snake", tool="Write", path_pattern="*.env")
    add("camel", tool="Write", pathPattern="*.env")
    add("command", tool="Bash", commandPattern=r"rm\s+-rf")
    add("star", tool="Wri*")
    assert matched(client, "Write", file_path="/p/.env") == ["snake", "camel"]
    assert matched(client, "Write", file_path="/p/a.py") == []
    assert matched(client, "Bash", command="rm  -rf x") == ["command"]
    assert matched(client, "Wri*") == ["star"]
    with pytest.raises(InvalidMatcherError):
        add("two", tool="Write|Edit")


def test_a_hook_s_config_is_in_milliseconds() -> None:
    client = A3sClient()
    config: dict[str, Any] = {"priority": 10, "timeout": 3000, "async": False, "failBehavior": "block"}
    client.register_hook("PreToolUse", lambda event: None, config=config)
    client.register_hook("PostToolUse", lambda event: None, config={"timeout_ms": 50, "async": True})
    first, second = sorted(client.list_hooks(), key=lambda hook: hook.event, reverse=True)
    assert (first.priority, first.timeout, first.fail_behavior, first.detached) == (10, 3.0, "block", False)
    assert (second.timeout, second.detached) == (0.05, True)
    with pytest.raises(InvalidHookError, match="`prority`"):
        client.register_hook("PreToolUse", lambda event: None, config={"prority": 1})


def test_a_hook_that_takes_too_long_is_passed_over() -> None:
    async def main() -> None:
        client = A3sClient()

        async def slow(event: PreToolUseEvent) -> HookResponse:
            await asyncio.sleep(3600)
            return HookResponse.block("late")

        client.register_hook("PreToolUse", slow, config={"timeout": 10})
        assert not (await client.dispatch("PreToolUse", tool="Bash", args={})).blocked
        client.register_hook("PreToolUse", slow, config={"timeout": 10, "fail_behavior": "block"})
        assert (await client.dispatch("PreToolUse", tool="Bash", args={})).blocked

    asyncio.run(main())


ANSWERS: list[tuple[Any, str, float]] = [
    (HookResponse.retry(delay=500), "retry", 0.5),
    ({"action": "retry", "delay": 500}, "retry", 0.5),
    (HookResponse.retry(delay=750).to_dict(), "retry", 0.75),
    ({"action": "RETRY"}, "retry", 0.0),
    ({"action": "retry", "delay_ms": 500}, "retry", 0.5),
    ({"action": 1, "reason": "no"}, "block", 0.0),
    ({"action": "escalate"}, "ask", 0.0),
    ({"modified": {"args": {"command": "ls"}}}, "continue", 0.0),
    ({"action": "ask", "ask": "Sure?"}, "ask", 0.0),
    ({"action": "block", "reason": "no"}, "block", 0.0),
    (HookResponse.block("no"), "block", 0.0),
    (HookResponse.skip(), "continue", 0.0),
    ({"action": "continue"}, "continue", 0.0),
    ({"action": "deny"}, "block", 0.0),
    ({"action": "block", "reason": {(1, 2): 3}}, "block", 0.0),
    (None, "continue", 0.0),
]


@pytest.mark.parametrize(("answer", "decision", "delay"), ANSWERS)
@pytest.mark.parametrize("kind", ["sync", "async", "awaitable"])
def test_answers_mean_what_they_mean_there(answer: Any, decision: str, delay: float, kind: str) -> None:
    async def waited(event: PreToolUseEvent) -> Any:
        return answer

    handlers: dict[str, Callable[[Any], Any]] = {
        "sync": lambda event: answer,
        "async": waited,
        "awaitable": lambda event: waited(event),
    }

    async def main() -> None:
        client = A3sClient()
        client.register_hook("PreToolUse", handlers[kind])
        outcome = await client.dispatch("PreToolUse", tool="Bash", args={})
        assert (outcome.decision, outcome.delay) == (decision, delay)

    asyncio.run(main())


def test_changes_of_two_hooks_of_one_event_merge() -> None:
    async def main() -> None:
        client = A3sClient()
        client.register_hook(
            "PreToolUse", lambda event: {"action": "continue", "modified": {"args": {**event.args, "timeout": 30000}}}
        )
        client.register_hook(
            "PreToolUse", lambda event: HookResponse.continue_(modified={"args": {**event.args, "quiet": True}})
        )
        outcome = await client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})
        assert outcome.event.args == {"command": "ls", "timeout": 30000, "quiet": True}

    asyncio.run(main())


DEFAULTS = {
    "enabled": True,
    "maxHooksPerEvent": 2,
    "maxTotalHooks": 3,
    "defaultTimeout": 2500,
    "failBehavior": "block",
    "auditLevel": "verbose",
}


@pytest.mark.parametrize("kind", ["object", "file"])
def test_the_configuration_s_defaults_are_the_client_s(kind: str, tmp_path: Path) -> None:
    config: Any = {"hooks": DEFAULTS}
    if kind == "file":
        config = tmp_path / "box.json"
        config.write_text(json.dumps({"hooks": DEFAULTS}), encoding="utf-8")
    client = A3sClient(config=config)
    client.register_hook("PreToolUse", lambda event: None)
    client.register_hook("PreToolUse", lambda event: None)
    hook = client.list_hooks()[0]
    assert (hook.timeout, hook.fail_behavior) == (2.5, "block")
    assert client.audit_level == "verbose"
    with pytest.raises(HookweaveError, match="max_hooks_per_event"):
        client.register_hook("PreToolUse", lambda event: None)
    client.register_hook("PostToolUse", lambda event: None)
    with pytest.raises(HookweaveError, match="max_total_hooks"):
        client.register_hook("PostToolUse", lambda event: None)


def test_a_configuration_with_a_mistake_is_refused_and_one_that_is_off_is_off() -> None:
    with pytest.raises(ConfigError, match="maxHooks"):
        A3sClient(config={"hooks": {"maxHooks": 3}})
    assert not A3sClient(config={"hooks": {"enabled": False}}).enabled


def test_usual_limits_are_those_of_the_profile() -> None:
    client = A3sClient()
    client.register_hook("PreToolUse", lambda event: None)
    assert client.list_hooks()[0].timeout == 5.0
    for _ in range(9):
        client.register_hook("PreToolUse", lambda event: None)
    with pytest.raises(HookweaveError, match="max_hooks_per_event"):
        client.register_hook("PreToolUse", lambda event: None)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="not callable"):
        A3sClient().register_hook("PreToolUse", "handler")


def test_hooks_of_one_event_run_together() -> None:
    async def main() -> None:
        client, here = A3sClient(), asyncio.Barrier(2)

        async def meets(event: PreToolUseEvent) -> HookResponse:
            await here.wait()
            return HookResponse.block("met")

        for _ in range(2):
            client.register_hook("PreToolUse", meets, config={"timeout": 600_000})
        assert (await client.dispatch("PreToolUse", tool="Bash", args={})).reason == "met"

    asyncio.run(main())


def test_a_hook_that_is_asked_for_a_permission_and_continues_has_granted_it() -> None:
    async def main() -> None:
        client = A3sClient()
        session = client.session(permissions="ask")
        assert not (await session.run_tool("Bash", {"command": "ls"}, lambda args: "ran")).ran
        client.register_hook("PermissionRequest", lambda event: {"action": "continue"})
        assert (await session.run_tool("Bash", {"command": "ls"}, lambda args: "ran")).ran

    asyncio.run(main())


def test_the_audit_level_is_changed_by_the_call_of_its_documents() -> None:
    client = A3sClient()
    client.set_hook_audit_level("verbose")
    assert client.audit_level == "verbose"
    client.set_hook_audit_level("error")
    assert client.audit_level == "error"
