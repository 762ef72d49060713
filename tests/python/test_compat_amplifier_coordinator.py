"""Amplifier's coordinator on the engine: what is injected, asked and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hookweave.compat.amplifier import (
    MAX_INJECTION_SIZE,
    ApprovalTimeout,
    HookRegistry,
    HookResult,
    ModuleCoordinator,
    SessionCoordinator,
)

from compat_amplifier import (
    Approval,
    Context,
    Display,
    Stage,
    says,
)
from test_loops import LOOPS

LINE_42 = HookResult(action="inject_context", context_injection="Line 42", context_injection_role="user")
WRITE_IT = HookResult(action="ask_user", approval_prompt="Write it?")


def test_an_injection_is_a_message_with_its_provenance() -> None:
    stage = Stage()
    assert stage.process(LINE_42).action == "continue"
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
    stage.process(LINE_42)
    assert apart.messages[0][:2] == ("user", "Line 42") and apart.messages[0][2]["hook_name"] == "linter"
    assert stage.context.messages == []


def test_without_a_context_what_is_injected_is_kept_in_memory() -> None:
    coordinator = ModuleCoordinator()
    asyncio.run(coordinator.process_hook_result(LINE_42, "tool:post", "linter"))
    assert [message.content for message in coordinator.context.messages] == ["Line 42"]


def test_an_injection_over_the_limit_is_left_out_and_the_user_told() -> None:
    stage = Stage()
    long = HookResult(action="inject_context", context_injection="ä" * 10241, user_message="3 problems")
    assert stage.process(long).action == "continue"
    assert stage.context.messages == []
    assert ("3 problems", "info", "hook:linter") in stage.display.shown
    (shown_message,) = [shown for shown in stage.display.shown if shown[2] == "hookweave"]
    assert (
        shown_message[1] == "error"
        and "linter" in shown_message[0]
        and "10241 characters" in shown_message[0]
        and str(MAX_INJECTION_SIZE) in shown_message[0]
    )
    fits = HookResult(action="inject_context", context_injection="ä" * MAX_INJECTION_SIZE)
    stage.process(fits)
    assert len(stage.context.messages) == 1


def test_limits_come_from_the_session_s_configuration() -> None:
    stage = Stage(injection_size_limit=5, injection_budget_per_turn=1)
    assert (stage.coordinator.injection_size_limit, stage.coordinator.injection_budget_per_turn) == (5, 1)
    with pytest.raises(ValueError, match="exceeds 5 characters"):
        stage.process(LINE_42)
    assert stage.context.messages == []
    stage.process(HookResult(action="inject_context", context_injection="1234\x00ä"))
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
        late = "Timeout - denied by default" in result.reason
        assert late == isinstance(answer, ApprovalTimeout) and ("no screen" in result.reason) == isinstance(
            answer, ValueError
        )
    else:
        assert result.data == {"a": 1}


def test_a_person_who_says_nothing_is_waited_for_no_longer_than_the_question_says() -> None:
    class Silent:
        async def request_approval(self, prompt: str, options: list[str], timeout: float, default: str) -> str:
            await asyncio.sleep(3600)
            return "Allow"

    stage = Stage()
    stage.coordinator.approval_system = Silent()
    result = stage.process(HookResult(action="ask_user", approval_prompt="Write it?", approval_timeout=0.01))
    assert result.action == "deny" and (result.reason or "").startswith("Timeout - denied by default: ")


def test_silence_does_not_choose_what_cannot_be_chosen() -> None:
    question = HookResult(action="ask_user", approval_options=["No"], approval_default="allow")
    result = Stage(ApprovalTimeout("late")).process(question)
    assert result.action == "deny" and "Timeout - denied by default" in (result.reason or "")


def test_allow_always_is_remembered_for_the_hook_and_its_words_until_the_end() -> None:
    stage = Stage("Allow always")
    options = ["Allow once", "Allow always", "Deny"]
    always = HookResult(action="ask_user", approval_prompt="Write it?", approval_options=options)
    other = HookResult(action="ask_user", approval_prompt="Delete it?", approval_options=options)
    stage.process(always, always, other)
    assert [asked[0] for asked in stage.approval.asked] == ["Write it?", "Delete it?"]
    stage.process(always, hook="another hook")
    assert len(stage.approval.asked) == 3, "what was allowed to one hook is not allowed to another"
    stage.process(WRITE_IT, WRITE_IT)
    assert len(stage.approval.asked) == 3, "the same question with other choices is the same question"
    asyncio.run(stage.coordinator.cleanup())
    stage.process(always)
    assert len(stage.approval.asked) == 4, "at the end it is forgotten"


def test_without_an_approval_system_nothing_that_is_asked_about_is_allowed() -> None:
    result = asyncio.run(ModuleCoordinator().process_hook_result(WRITE_IT, "tool:pre", "guard"))
    assert (result.action, result.reason) == ("deny", "No approval system available")


def test_a_plain_approval_system_with_parameters_of_any_name_decides() -> None:
    class Plain:
        def request_approval(self, question: str, choices: list[str], seconds: float, otherwise: str) -> str:
            return choices[0]

    for options in (["allow", "deny"], ["ALLOW ONCE", "no"], None):
        coordinator = ModuleCoordinator(approval_system=Plain())
        asked = HookResult(action="ask_user", approval_prompt="Write it?", approval_options=options)
        assert asyncio.run(coordinator.process_hook_result(asked, "tool:pre", "guard")).action == "continue", options
    denied = ModuleCoordinator(approval_system=Plain())
    asked = HookResult(action="ask_user", approval_prompt="Write it?", approval_options=["deny", "allow"])
    result = asyncio.run(denied.process_hook_result(asked, "tool:pre", "guard"))
    assert (result.action, result.reason) == ("deny", "User denied: Write it?")


def test_a_display_with_parameters_of_any_name_shows_messages() -> None:
    class Shows:
        shown: tuple[str, ...] = ()

        def show_message(self, a: str, b: str, c: str) -> None:
            self.shown = (a, b, c)

    display = Shows()
    coordinator = ModuleCoordinator(display_system=display)
    asyncio.run(coordinator.process_hook_result(HookResult(user_message="hello"), "tool:pre", "guard"))
    assert display.shown == ("hello", "info", "hook:guard")


def test_injections_lose_control_characters_and_an_empty_one_adds_nothing() -> None:
    stage = Stage()
    stage.process(HookResult(action="inject_context", context_injection="a\x00b\x1b[31mc\td\n"))
    assert stage.context.messages[0]["content"] == "ab[31mc\td\n"
    stage.process(HookResult(action="inject_context", context_injection=""))
    assert len(stage.context.messages) == 1


def test_what_is_injected_in_a_turn_is_counted() -> None:
    stage = Stage()
    stage.process(HookResult(action="inject_context", context_injection="x" * 40, ephemeral=True))
    assert stage.coordinator._current_turn_injections == 10
    stage.coordinator.reset_turn()
    assert stage.coordinator._current_turn_injections == 0


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


@pytest.mark.parametrize("run", LOOPS)
def test_everything_that_the_hooks_of_an_emission_said_is_acted_on(run: Callable[..., Any]) -> None:
    stage = Stage("Allow once")

    async def main() -> HookResult:
        hooks = stage.coordinator.hooks
        hooks.register("tool:pre", says(action="modify", data={"tool_input": "new"}, user_message="changed"), 0, "a")
        hooks.register("tool:pre", says(action="inject_context", context_injection="one"), 1, "b")
        hooks.register("tool:pre", says(action="ask_user", approval_prompt="first?"), 2, "c")
        hooks.register("tool:pre", says(action="inject_context", context_injection="two", ephemeral=True), 3, "d")
        hooks.register("tool:pre", says(action="ask_user", approval_prompt="second?"), 4, "e")
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
        stage.coordinator.hooks.register("e", says(action="inject_context", context_injection="old"))
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


def test_a_coordinator_of_given_parts_emits_and_acts() -> None:
    async def main() -> None:
        registry, approval, display, context = HookRegistry(), Approval("Deny"), Display(), Context()
        coordinator = SessionCoordinator(registry, context, approval, display)
        registry.register("tool:pre", says(action="ask_user", approval_prompt="p"))
        registry.register("tool:pre", says(user_message="hello"), name="greeter")
        result = await coordinator.execute_with_hooks("tool:pre", {"a": 1})
        assert result.action == "deny" and approval.asked[0][0] == "p"
        assert display.shown == [("hello", "info", "hook:greeter")]
        assert (await coordinator.handle_approval_request(WRITE_IT, "guard")).action == "deny"
        await coordinator.handle_context_injection(LINE_42, "linter", "tool:post")
        assert context.messages[0]["content"] == "Line 42"
        await coordinator.handle_user_message(HookResult(action="deny", user_message="bye"), "x")
        assert display.shown[-1] == ("bye", "info", "hook:x")
        with pytest.raises(ValueError, match="exceeds"):
            coordinator.handle_context_injection(HookResult(context_injection="x" * 10241))

    asyncio.run(main())
