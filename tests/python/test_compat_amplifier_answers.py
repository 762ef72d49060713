"""What hooks of Amplifier answer, alone and together."""

from __future__ import annotations

import asyncio
import logging
from decimal import Decimal
from typing import Any

import pytest
from hookweave.compat.amplifier import (
    ContextInjection,
    HookRegistry,
    HookResult,
)
from hookweave.compat.amplifier._answers import emitted_answer

from compat_amplifier import (
    ASK,
    CONTINUE,
    DENY,
    INJECT,
    MODIFY,
    Hook,
    emitted,
    says,
)


@pytest.mark.parametrize(
    ("hooks", "action"),
    [
        ([DENY, ASK, INJECT, MODIFY, CONTINUE], "deny"),
        ([CONTINUE, MODIFY, INJECT, ASK, DENY], "deny"),
        ([ASK, INJECT, MODIFY, CONTINUE], "ask_user"),
        ([CONTINUE, MODIFY, INJECT, ASK], "ask_user"),
        ([INJECT, MODIFY, CONTINUE], "inject_context"),
        ([CONTINUE, MODIFY, INJECT], "inject_context"),
        ([MODIFY, CONTINUE], "continue"),
        ([CONTINUE], "continue"),
        ([], "continue"),
    ],
)
def test_the_strongest_action_wins_whatever_the_order(hooks: list[Hook], action: str) -> None:
    result = emitted(*hooks)
    assert result.action == action
    if action != "deny" and MODIFY in hooks:
        assert result.data == {"value": 2}, "the change is kept beside a stronger action"


def test_nothing_is_lost_when_answers_combine() -> None:
    result = emitted(
        says(action="modify", data={"value": 2}, user_message="changed"),
        says(action="inject_context", context_injection="A", suppress_output=True),
        says(action="ask_user", approval_prompt="sure?", user_message="asked", user_message_level="warning"),
        says(action="inject_context", context_injection="B"),
        says(action="ask_user", approval_prompt="really?"),
    )
    assert (result.action, result.data, result.approval_prompt) == ("ask_user", {"value": 2}, "sure?")
    assert result.context_injection == "A\n\nB" and result.suppress_output
    assert (result.user_message, result.user_message_level) == ("changed\nasked", "warning")


def test_two_injections_are_joined_by_a_blank_line_and_kept_apart_as_well() -> None:
    result = emitted(INJECT, says(action="inject_context", context_injection="B", ephemeral=True))
    assert result.context_injection == "A\n\nB" and result.context_injection_role == "system"
    apart = [
        (injection.hook_name, injection.content, injection.ephemeral, injection.event)
        for injection in result.context_injections
    ]
    assert apart == [("hook0", "A", False, "tool:pre"), ("hook1", "B", True, "tool:pre")]
    assert not result.ephemeral, "one of them is to last"


def test_injections_of_one_role_have_it_and_others_are_the_system_s() -> None:
    user = says(action="inject_context", context_injection="u", context_injection_role="user")
    assert emitted(user, user).context_injection_role == "user"
    assert emitted(user, INJECT).context_injection_role == "system"


def test_a_hook_may_inject_several_texts() -> None:
    injections = [{"content": "A", "role": "user"}, ContextInjection(content="B", ephemeral=True)]
    result = emitted(says(action="inject_context", context_injections=injections))
    assert [(injection.content, injection.role, injection.ephemeral) for injection in result.context_injections] == [
        ("A", "user", False),
        ("B", "system", True),
    ]


def test_the_words_of_the_first_question_are_the_hook_s_own() -> None:
    result = emitted(ASK, says(action="ask_user", approval_prompt="other"))
    assert result.approval_prompt == "sure?" and result.approval_options == ["Yes", "Deny"]
    assert (result.approval_timeout, result.approval_default) == (3, "deny")


def test_a_denied_result_has_no_data() -> None:
    result = emitted(says(action="deny", reason="no", data={"value": 5}))
    assert (result.action, result.reason, result.data) == ("deny", "no", None)


def test_deny_ends_the_emission_also_of_an_event_that_only_tells() -> None:
    ran = []

    async def later(event: str, data: dict[str, Any]) -> HookResult:
        ran.append(event)
        return HookResult()

    for event in ("tool:pre", "tool:post", "session:end", "content_block:delta", "anything at all"):
        assert emitted(DENY, later, event=event).action == "deny"
    assert ran == []


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (None, "continue"),
        ({"action": "deny", "reason": "no"}, "deny"),
        (HookResult(action="deny", reason="no"), "deny"),
        (HookResult(action="block", reason="no"), "deny"),
        (HookResult(action="explode"), "deny"),
        ("deny", "deny"),
        ("fine", "deny"),
        (False, "deny"),
        (True, "deny"),
        ({"permissionDecision": "deny"}, "deny"),
    ],
)
def test_what_is_no_result_denies(answer: Any, action: str) -> None:
    async def hook(event: str, data: dict[str, Any]) -> Any:
        return answer

    assert emitted(hook).action == action


def test_results_of_other_classes_are_read_by_their_fields() -> None:
    class Model:
        def model_dump(self) -> dict[str, Any]:
            return {"action": "deny", "reason": "modelled"}

    assert emitted(lambda event, data: Model()).reason == "modelled"


def test_functions_and_objects_are_hooks_too() -> None:
    class Guard:
        async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
            return HookResult(action="deny", reason="object")

    assert emitted(lambda event, data: HookResult(action="deny", reason="sync")).reason == "sync"
    assert emitted(Guard()).reason == "object"


def test_a_hook_that_raises_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    async def raises(event: str, data: dict[str, Any]) -> HookResult:
        raise ValueError("boom")

    with caplog.at_level(logging.WARNING, logger="hookweave"):
        assert emitted(raises, MODIFY).data == {"value": 2}
    assert "hook0" in caplog.text and "boom" in caplog.text


def test_unknown_names_of_a_result_are_passed_over_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="hookweave"):
        result = HookResult(action="deny", reason="no", severity=3)
    assert result.action == "deny" and "severity" in caplog.text


def test_results_are_dumped_copied_and_compared() -> None:
    result = HookResult(action="deny", reason="no")
    assert result == HookResult(action="deny", reason="no") != result.model_copy(update={"reason": "yes"})
    assert result.model_dump()["approval_timeout"] == 300.0 and '"reason": "no"' in result.model_dump_json()


def test_a_modify_leaves_no_remark_behind() -> None:
    answer = emitted_answer(HookResult(action="modify", data={"value": Decimal(1)}), "e", "amplifier:e")
    assert answer == {"modified": {"data": {"value": "1"}}}


def circle() -> dict[str, Any]:
    data: dict[str, Any] = {}
    data["itself"] = data
    return data


class Spiteful:
    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize(
    "answer",
    [
        HookResult(action="deny", reason="no", data={(1, 2): 3}),
        HookResult(action="deny", reason="no", data=circle()),
        HookResult(action="deny", reason=Spiteful()),
        HookResult(action="deny", reason="\ud800"),
        HookResult(action="modify", data=circle()),
        HookResult(action="modify", data=[1]),
        HookResult(action="modify", data={"value": Spiteful()}),
        HookResult(action="ask_user", approval_prompt={1: 2}),
    ],
    ids=["keys", "circle", "no text", "surrogate", "modify", "no dict", "no data", "prompt"],
)
def test_an_answer_without_a_json_form_lets_nothing_pass(answer: HookResult) -> None:
    assert emitted(lambda event, data: answer).action == "deny"
    registry = HookRegistry()
    registry.register("tool:pre", lambda event, data: answer)
    assert not asyncio.run(registry.client.session().run_tool("Bash", {}, lambda args: "ran")).ran


def test_data_that_do_not_count_need_no_json_form() -> None:
    assert emitted(says(action="continue", data=circle())).action == "continue"
    assert emitted(says(action="deny", reason="no", data=circle())).reason == "no"
