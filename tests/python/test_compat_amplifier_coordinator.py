"""Amplifier's coordinator on the engine: what is injected, asked and shown, and what modules are mounted on."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hookweave import HookClient
from hookweave.compat.amplifier import (
    MAX_INJECTION_SIZE,
    AmplifierSession,
    ApprovalTimeout,
    HookRegistry,
    HookResult,
    ModuleCoordinator,
    SessionCoordinator,
    ToolResult,
)

from test_loops import LOOPS


class Context:
    """Takes messages as Amplifier's contexts do."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def add_message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    async def get_messages(self) -> list[dict[str, Any]]:
        return self.messages


class Display:
    def __init__(self) -> None:
        self.shown: list[tuple[str, str, str]] = []

    def show_message(self, message: str, level: str, source: str = "hook") -> None:
        self.shown.append((message, level, source))


class Approval:
    """Answers always the same, or raises."""

    def __init__(self, answer: str | Exception = "Allow") -> None:
        self.answer = answer
        self.asked: list[tuple[str, list[str], float, str]] = []

    async def request_approval(self, prompt: str, options: list[str], timeout: float, default: str) -> str:
        self.asked.append((prompt, options, timeout, default))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Stage:
    """A coordinator with everything that it talks to."""

    def __init__(self, answer: str | Exception = "Allow", **session: Any) -> None:
        self.approval, self.display, self.context = Approval(answer), Display(), Context()
        self.coordinator = ModuleCoordinator(
            types.SimpleNamespace(session_id="s-1", parent_id="p-1", config={"session": session}),
            self.approval,
            self.display,
            context=self.context,
        )

    def process(self, *results: HookResult, event: str = "tool:post", hook: str = "linter") -> HookResult:
        async def main() -> HookResult:
            for result in results:
                answer = await self.coordinator.process_hook_result(result, event, hook)
            return answer

        return asyncio.run(main())


INJECT = HookResult(action="inject_context", context_injection="Line 42", context_injection_role="user")
ASK = HookResult(action="ask_user", approval_prompt="Write it?")


def test_an_injection_is_a_message_with_its_provenance() -> None:
    stage = Stage()
    assert stage.process(INJECT).action == "continue"
    (message,) = stage.context.messages
    assert (message["role"], message["content"]) == ("user", "Line 42")
    stamp = message["metadata"].pop("timestamp")
    assert stamp.endswith("+00:00")
    assert message["metadata"] == {"source": "hook", "hook_name": "linter", "event": "tool:post"}


def test_a_context_that_takes_role_and_content_apart_will_do() -> None:
    class Apart:
        def __init__(self) -> None:
            self.messages: list[Any] = []

        def add_message(self, role: str, content: str, metadata: dict[str, Any] | None = None) -> None:
            self.messages.append((role, content, metadata))

    stage, apart = Stage(), Apart()
    asyncio.run(stage.coordinator.mount("context", apart))
    stage.process(INJECT)
    assert apart.messages[0][:2] == ("user", "Line 42") and apart.messages[0][2]["hook_name"] == "linter"
    assert stage.context.messages == []


def test_without_a_context_what_is_injected_is_kept_in_memory() -> None:
    coordinator = ModuleCoordinator()
    asyncio.run(coordinator.process_hook_result(INJECT, "tool:post", "linter"))
    assert [message.content for message in coordinator.context.messages] == ["Line 42"]


def test_an_injection_over_the_limit_is_left_out_and_the_user_told() -> None:
    stage = Stage()
    long = HookResult(action="inject_context", context_injection="ä" * 5121, user_message="3 problems")
    assert stage.process(long).action == "continue"
    assert stage.context.messages == []
    assert ("3 problems", "info", "hook:linter") in stage.display.shown
    (told,) = [shown for shown in stage.display.shown if shown[2] == "hookweave"]
    assert told[1] == "error" and "linter" in told[0] and "10242" in told[0] and str(MAX_INJECTION_SIZE) in told[0]
    fits = HookResult(action="inject_context", context_injection="x" * MAX_INJECTION_SIZE)
    stage.process(fits)
    assert len(stage.context.messages) == 1


def test_limits_come_from_the_session_s_configuration() -> None:
    stage = Stage(injection_size_limit=5, injection_budget_per_turn=1)
    assert (stage.coordinator.injection_size_limit, stage.coordinator.injection_budget_per_turn) == (5, 1)
    stage.process(INJECT)
    assert stage.context.messages == []
    stage.process(HookResult(action="inject_context", context_injection="12345"))
    assert len(stage.context.messages) == 1 and stage.display.shown[-1][1] == "warning"


def test_the_budget_of_a_turn_warns_once_and_begins_anew_with_the_next() -> None:
    stage = Stage()
    large = HookResult(action="inject_context", context_injection="x" * 3000)
    stage.process(large)
    assert stage.display.shown == []
    stage.process(large, large)
    (warning,) = stage.display.shown
    assert warning[1:] == ("warning", "hookweave") and "1500" in warning[0]
    stage.coordinator.reset_turn()
    stage.process(large)
    assert len(stage.display.shown) == 1 and len(stage.context.messages) == 4, "nothing is left out"
    stage.process(large)
    assert len(stage.display.shown) == 2
    assert {message["role"] for message in stage.context.messages} == {"system"}


def test_ephemeral_context_comes_back_to_the_host() -> None:
    stage = Stage()
    result = stage.process(
        HookResult(
            action="inject_context", context_injection="todo: 3", ephemeral=True, append_to_last_tool_result=True
        )
    )
    assert (result.action, result.context_injection, result.ephemeral) == ("inject_context", "todo: 3", True)
    assert result.append_to_last_tool_result and stage.context.messages == []
    (one,) = result.context_injections
    assert (one.content, one.ephemeral, one.hook_name, one.event) == ("todo: 3", True, "linter", "tool:post")
    too_long = HookResult(action="inject_context", context_injection="x" * 10241, ephemeral=True)
    assert stage.process(too_long).action == "continue" and stage.display.shown[-1][1] == "error"


@pytest.mark.parametrize(
    ("answer", "default", "action"),
    [
        ("Allow", "deny", "continue"),
        ("Allow once", "deny", "continue"),
        ("Allow always", "deny", "continue"),
        ("Deny", "allow", "deny"),
        ("deny", "allow", "deny"),
        ("Whatever", "allow", "deny"),
        (ApprovalTimeout("late"), "deny", "deny"),
        (ApprovalTimeout("late"), "allow", "continue"),
        (ValueError("no screen"), "allow", "deny"),
    ],
)
def test_a_person_is_asked(answer: str | Exception, default: Any, action: str) -> None:
    stage = Stage(answer)
    question = HookResult(
        action="ask_user", approval_prompt="Write it?", approval_timeout=7, approval_default=default, data={"a": 1}
    )
    result = stage.process(question)
    assert result.action == action
    assert stage.approval.asked == [("Write it?", ["Allow once", "Deny"], 7.0, default)]
    if action == "deny":
        assert result.reason is not None and "Write it?" in result.reason
        late = "nobody answered in time" in result.reason
        assert late == isinstance(answer, ApprovalTimeout) and ("no screen" in result.reason) == isinstance(
            answer, ValueError
        )
    else:
        assert result.data == {"a": 1}


def test_a_person_who_says_nothing_is_waited_for_no_longer_than_the_question_says() -> None:
    class Silent:
        async def request_approval(self, prompt: str, options: list[str], timeout: float, default: str) -> str:
            await asyncio.sleep(60)
            return "Allow"

    stage = Stage()
    stage.coordinator.approval_system = Silent()
    result = stage.process(HookResult(action="ask_user", approval_prompt="Write it?", approval_timeout=0.01))
    assert result.action == "deny" and "in time" in (result.reason or "")


def test_allow_always_is_remembered_for_the_hook_and_its_words_until_the_end() -> None:
    stage = Stage("Allow always")
    options = ["Allow once", "Allow always", "Deny"]
    always = HookResult(action="ask_user", approval_prompt="Write it?", approval_options=options)
    other = HookResult(action="ask_user", approval_prompt="Delete it?", approval_options=options)
    stage.process(always, always, other)
    assert [asked[0] for asked in stage.approval.asked] == ["Write it?", "Delete it?"]
    stage.process(always, hook="another hook")
    assert len(stage.approval.asked) == 3, "what was allowed to one hook is not allowed to another"
    stage.process(ASK, ASK)
    assert len(stage.approval.asked) == 3, "the same question with other choices is the same question"
    asyncio.run(stage.coordinator.cleanup())
    stage.process(always)
    assert len(stage.approval.asked) == 4, "at the end it is forgotten"


def test_without_an_approval_system_nothing_that_is_asked_about_is_allowed() -> None:
    result = asyncio.run(ModuleCoordinator().process_hook_result(ASK, "tool:pre", "guard"))
    assert result.action == "deny" and "no approval system" in (result.reason or "")


@pytest.mark.parametrize("level", ["info", "warning", "error"])
def test_messages_are_shown_with_level_and_source(level: Any) -> None:
    stage = Stage()
    result = HookResult(user_message="hello", user_message_level=level, suppress_output=True)
    assert stage.process(result) is result
    deny = HookResult(action="deny", reason="no", user_message="denied", user_message_source="policy")
    assert stage.process(deny) is deny
    assert stage.display.shown == [("hello", level, "hook:linter"), ("denied", "info", "hook:policy")]


def test_a_context_or_display_that_fails_stops_nothing() -> None:
    class Broken:
        async def add_message(self, message: dict[str, Any]) -> None:
            raise ValueError("full")

        async def show_message(self, message: str, level: str, source: str) -> None:
            raise ValueError("no screen")

    stage = Stage()
    asyncio.run(stage.coordinator.mount("context", Broken()))
    both = HookResult(action="inject_context", context_injection="x", user_message="hello")
    assert stage.process(both).action == "continue"
    assert [shown[1] for shown in stage.display.shown if "full" in shown[0]] == ["error"]
    stage.coordinator.display_system = Broken()
    assert stage.process(both).action == "continue"


def test_an_action_that_does_not_exist_is_a_failure_of_the_hook() -> None:
    with pytest.raises(ValueError, match=r"hook linter says of tool:post cannot be acted on.*unknown action"):
        Stage().process(HookResult(action="explode"))


def hook(**fields: Any) -> Callable[[str, dict[str, Any]], Awaitable[HookResult]]:
    async def says(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(**fields)

    return says


@pytest.mark.parametrize("run", LOOPS)
def test_everything_that_the_hooks_of_an_emission_said_is_acted_on(run: Callable[..., Any]) -> None:
    stage = Stage("Allow once")

    async def main() -> HookResult:
        hooks = stage.coordinator.hooks
        hooks.register("tool:pre", hook(action="modify", data={"tool_input": "new"}, user_message="changed"), 0, "a")
        hooks.register("tool:pre", hook(action="inject_context", context_injection="one"), 1, "b")
        hooks.register("tool:pre", hook(action="ask_user", approval_prompt="first?"), 2, "c")
        hooks.register("tool:pre", hook(action="inject_context", context_injection="two", ephemeral=True), 3, "d")
        hooks.register("tool:pre", hook(action="ask_user", approval_prompt="second?"), 4, "e")
        return await stage.coordinator.process_hook_result(await hooks.emit("tool:pre", {}), "tool:pre", "composite")

    result = run(main)
    assert [asked[0] for asked in stage.approval.asked] == ["first?", "second?"], "each question, in order"
    (message,) = stage.context.messages
    assert (message["content"], message["metadata"]["hook_name"]) == ("one", "b"), "under the name of its own hook"
    assert stage.display.shown == [("changed", "info", "hook:a")]
    assert (result.context_injection, result.data) == ("two", {"tool_input": "new"})


def test_a_result_that_was_changed_says_what_it_says_now() -> None:
    stage = Stage()

    async def main() -> HookResult:
        stage.coordinator.hooks.register("e", hook(action="inject_context", context_injection="old"))
        result = await stage.coordinator.hooks.emit("e", {})
        result.context_injection, result.context_injections = "new", []
        return await stage.coordinator.process_hook_result(result, "e", "host")

    asyncio.run(main())
    (message,) = stage.context.messages
    assert (message["content"], message["metadata"]["hook_name"]) == ("new", "host")


def test_many_results_at_once_do_not_mix() -> None:
    stage = Stage()

    class Slow(Context):
        async def add_message(self, message: dict[str, Any]) -> None:
            await asyncio.sleep(0)
            await super().add_message(message)

    class SlowDisplay(Display):
        async def show_message(self, message: str, level: str, source: str = "hook") -> None:
            await asyncio.sleep(0)
            super().show_message(message, level, source)

    stage.context, stage.display = Slow(), SlowDisplay()
    stage.coordinator.display_system = stage.display

    async def main() -> None:
        await stage.coordinator.mount("context", stage.context)

        async def one(number: int) -> None:
            result = HookResult(action="inject_context", context_injection=f"{number}", user_message=f"{number}")
            await stage.coordinator.process_hook_result(result, f"event:{number}", f"hook{number}")

        await asyncio.gather(*(one(number) for number in range(30)))

    asyncio.run(main())
    for message in stage.context.messages:
        number = message["content"]
        assert message["metadata"]["event"] == f"event:{number}"
        assert message["metadata"]["hook_name"] == f"hook{number}"
    assert len(stage.context.messages) == 30 and len(stage.display.shown) == 30


# --- modules


async def mount(coordinator: ModuleCoordinator, config: dict[str, Any] | None = None) -> Callable[[], None]:
    """A hook module as they are written: it reads its configuration, registers, and takes itself out again."""
    blocked = (config or {}).get("blocked", [])

    async def guard(event: str, data: dict[str, Any]) -> HookResult:
        if data.get("tool_name") in blocked:
            return HookResult(action="deny", reason=f"{data['tool_name']} is blocked")
        return HookResult(action="continue")

    async def lint(event: str, data: dict[str, Any]) -> HookResult:
        if data.get("tool_name") == "Write" and len(data["tool_input"]["content"]) > 79:
            return HookResult(action="inject_context", context_injection="E501 line too long")
        return HookResult()

    unregister = [
        coordinator.hooks.register("tool:pre", guard, priority=5, name="guard"),
        coordinator.hooks.register("tool:post", lint, name="lint"),
    ]
    coordinator.register_capability("guard.blocked", blocked)
    coordinator.register_contributor("observability.events", "guard", lambda: ["guard:blocked"])

    def cleanup() -> None:
        for take_out in unregister:
            take_out()

    coordinator.register_cleanup(cleanup)
    return cleanup


class Write:
    name = "Write"

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    async def execute(self, input: dict[str, Any]) -> ToolResult:
        self.written.append(input)
        return ToolResult(success=True, output="written")


def test_a_module_guards_the_tools_of_an_amplifier_session() -> None:
    async def main() -> None:
        stage, tool = Stage(), Write()
        await mount(stage.coordinator, {"blocked": ["Bash"]})
        await stage.coordinator.mount("tools", tool)
        await stage.coordinator.mount("tools", Write(), name="Bash")
        async with AmplifierSession(stage.coordinator) as session:
            assert session.session_id == "s-1"
            assert await session.execute_tool("Write", {"file_path": "/a", "content": "x"}) == ToolResult(
                success=True, output="written"
            )
            denied = await session.execute_tool("Bash", {"command": "ls"})
            assert (denied.success, denied.output) == (False, None) and denied.error == "Bash is blocked"
            with pytest.raises(LookupError, match="no tool 'Read' is mounted; known are: Write, Bash"):
                await session.execute_tool("Read", {})
            await session.execute_tool("Write", {"file_path": "/a", "content": "x" * 80})
            (message,) = stage.context.messages
            assert message["content"] == "E501 line too long" and message["metadata"]["hook_name"] == "lint"
        assert stage.coordinator.hooks.list_handlers() == {}, "the module has cleaned up"

    asyncio.run(main())


def test_a_module_guards_a_session_of_hookweave() -> None:
    async def main() -> None:
        client = HookClient(profile="amplifier")
        await mount(ModuleCoordinator(hooks=HookRegistry(client)), {"blocked": ["Bash"]})
        session = client.session("s-2")
        refused = await session.run_tool("Bash", {"command": "ls"}, lambda args: "ran")
        assert (refused.ran, refused.reason, refused.by) == (False, "Bash is blocked", "guard")
        written = await session.run_tool("Write", {"content": "x" * 80}, lambda args: "ran")
        assert [one.content for one in written.injected] == ["E501 line too long"]

    asyncio.run(main())


def test_a_hook_sees_a_session_s_events_in_amplifier_s_words_and_changes_them() -> None:
    async def main() -> None:
        seen: list[Any] = []

        async def hook(event: str, data: dict[str, Any]) -> HookResult:
            seen.append((event, data))
            if event == "tool:pre":
                return HookResult(action="modify", data={**data, "tool_input": {"command": "ls -l"}})
            return HookResult()

        registry = HookRegistry()
        registry.set_default_fields(host="box", tool_name="never")
        registry.register("tool:pre", hook)
        registry.register("tool:post", hook)
        registry.register("error:tool", hook)
        session = registry.client.session("s-3")
        call = await session.run_tool("Bash", {"command": "ls"}, lambda args: args["command"])
        assert call.output == "ls -l"
        with_trouble = await session.run_tool("Bash", {"command": "x"}, lambda args: 1 / 0)
        assert not with_trouble.ok
        (before, data), (after, result), _, (trouble, error) = seen
        assert (before, after, trouble) == ("tool:pre", "tool:post", "error:tool")
        assert (data["tool_name"], data["tool_input"], data["session_id"]) == ("Bash", {"command": "ls"}, "s-3")
        assert data["host"] == "box" and data["timestamp"].endswith("+00:00") and data["tool_call_id"]
        assert result["tool_input"] == {"command": "ls -l"} and result["success"] is True
        assert result["tool_result"]["output"] == "ls -l" and error["error"] == "division by zero"

    asyncio.run(main())


def test_changing_what_no_hook_may_change_of_a_session_s_event_blocks_it() -> None:
    registry = HookRegistry()

    async def rename(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(action="modify", data={**data, "tool_name": "Read"})

    registry.register("tool:pre", rename)
    call = asyncio.run(registry.client.session().run_tool("Bash", {"command": "ls"}, lambda args: "ran"))
    assert not call.ran and "data.tool_name" in (call.reason or "")
    emitted = asyncio.run(registry.emit("tool:pre", {"tool_name": "Bash"}))
    assert emitted.data is not None and emitted.data["tool_name"] == "Read", "an emission's data are free"


@pytest.mark.parametrize("value", [float("nan"), "\ud800", {(1, 2): 3}, 10**5000], ids=["nan", "text", "key", "digits"])
def test_a_payload_without_a_json_form_does_not_slip_past_a_guard(value: Any) -> None:
    registry = HookRegistry()
    registry.register("tool:pre", hook(action="continue"))
    call = asyncio.run(registry.client.session().run_tool("Bash", {"command": value}, lambda args: "ran"))
    assert not call.ran or isinstance(value, int)


def test_an_approval_in_a_session_is_for_the_very_arguments() -> None:
    async def main() -> None:
        stage = Stage("Allow always")
        options = ["Allow once", "Allow always", "Deny"]
        ask = hook(action="ask_user", approval_prompt="Write it?", approval_options=options)
        stage.coordinator.hooks.register("tool:pre", ask, name="guard")
        await stage.coordinator.mount("tools", Write())
        session = AmplifierSession(stage.coordinator)
        for path in ("/a", "/a", "/b"):
            assert (await session.execute_tool("Write", {"file_path": path, "content": ""})).success
        assert len(stage.approval.asked) == 2

    asyncio.run(main())


def test_a_tool_that_fails_or_raises_is_a_failed_result() -> None:
    class Fails:
        name = "Fails"

        async def execute(self, input: dict[str, Any]) -> Any:
            if input.get("raise"):
                raise OSError("disk full")
            return ToolResult(success=False, error="not found")

    async def main() -> None:
        coordinator = ModuleCoordinator()
        await coordinator.mount("tools", Fails())
        session = AmplifierSession(coordinator)
        assert (await session.execute_tool("Fails", {})).error == "not found"
        assert (await session.execute_tool("Fails", {"raise": True})).error == "disk full"

    asyncio.run(main())


def test_modules_are_mounted_found_and_taken_out() -> None:
    async def main() -> None:
        coordinator, tool = ModuleCoordinator(), Write()
        assert coordinator.get("hooks") is coordinator.hooks and coordinator.get("tools") == {}
        assert (coordinator.session_id, coordinator.parent_id, coordinator.config) == (None, None, {})
        await coordinator.mount("tools", tool)
        assert coordinator.get("tools") == {"Write": tool} and coordinator.get("tools", "Write") is tool
        await coordinator.unmount("tools", "Write")
        await coordinator.unmount("tools", "Write")
        assert coordinator.get("tools", "Write") is None
        await coordinator.mount("orchestrator", tool)
        await coordinator.unmount("orchestrator")
        assert coordinator.get("orchestrator") is None
        for point, module, why in [("hooks", tool, "registered"), ("nope", tool, "nope"), ("tools", object(), "name")]:
            with pytest.raises(ValueError, match=why):
                await coordinator.mount(point, module)
        with pytest.raises(ValueError, match="nope"):
            coordinator.get("nope")

    asyncio.run(main())


def test_capabilities_contributions_and_clean_ups() -> None:
    async def main() -> None:
        coordinator = ModuleCoordinator()
        done: list[str] = []

        async def last() -> None:
            done.append("last")

        def fails() -> None:
            raise ValueError("boom")

        async def later() -> str:
            return "later"

        coordinator.register_cleanup(lambda: done.append("first"))
        coordinator.register_cleanup(fails)
        coordinator.register_cleanup(last)
        for name, callback in {"now": lambda: "now", "none": lambda: None, "fails": fails, "later": later}.items():
            coordinator.register_contributor("channel", name, callback)
        assert await coordinator.collect_contributions("channel") == ["now", "later"]
        assert await coordinator.collect_contributions("other") == []
        await mount(coordinator, {"blocked": ["Bash"]})
        assert coordinator.get_capability("guard.blocked") == ["Bash"] and coordinator.get_capability("x") is None
        await coordinator.cleanup()
        assert done == ["last", "first"]

    asyncio.run(main())


# --- the coordinator of the architecture document


def test_a_coordinator_of_given_parts_emits_and_acts() -> None:
    async def main() -> None:
        registry, approval, display, context = HookRegistry(), Approval("Deny"), Display(), Context()
        coordinator = SessionCoordinator(registry, context, approval, display)
        registry.register("tool:pre", hook(action="ask_user", approval_prompt="p"))
        registry.register("tool:pre", hook(user_message="hello"), name="greeter")
        result = await coordinator.execute_with_hooks("tool:pre", {"a": 1})
        assert result.action == "deny" and approval.asked[0][0] == "p"
        assert display.shown == [("hello", "info", "hook:greeter")]
        assert (await coordinator.handle_approval_request(ASK, "guard")).action == "deny"
        await coordinator.handle_context_injection(INJECT, "linter", "tool:post")
        assert context.messages[0]["content"] == "Line 42"
        await coordinator.handle_user_message(HookResult(action="deny", user_message="bye"), "x")
        assert display.shown[-1] == ("bye", "info", "hook:x")
        with pytest.raises(ValueError, match="exceeds"):
            coordinator.handle_context_injection(HookResult(context_injection="x" * 10241))

    asyncio.run(main())
