"""Amplifier's hook registry on the engine: each behaviour that its modules and orchestrators count on."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hookweave import HookClient
from hookweave.compat import amplifier
from hookweave.compat.amplifier import ContextInjection, HookRegistry, HookResult, ModuleCoordinator, events
from hookweave.compat.amplifier._answers import emitted_answer

from test_loops import LOOPS

Hook = Callable[[str, dict[str, Any]], Awaitable[HookResult]]


def says(**fields: Any) -> Hook:
    async def hook(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(**fields)

    return hook


DENY = says(action="deny", reason="no")
ASK = says(action="ask_user", approval_prompt="sure?", approval_options=["Yes", "Deny"], approval_timeout=3)
INJECT = says(action="inject_context", context_injection="A")
MODIFY = says(action="modify", data={"value": 2})
CONTINUE = says()


def emitted(*hooks: Any, data: dict[str, Any] | None = None, event: str = "tool:pre") -> HookResult:
    registry = HookRegistry()
    for number, hook in enumerate(hooks):
        registry.register(event, hook, priority=number, name=f"hook{number}")
    return asyncio.run(registry.emit(event, {"value": 1} if data is None else data))


# --- one answer of several


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
    apart = [(one.hook_name, one.content, one.ephemeral, one.event) for one in result.context_injections]
    assert apart == [("hook0", "A", False, "tool:pre"), ("hook1", "B", True, "tool:pre")]
    assert not result.ephemeral, "one of them is to last"


def test_injections_of_one_role_have_it_and_others_are_the_system_s() -> None:
    user = says(action="inject_context", context_injection="u", context_injection_role="user")
    assert emitted(user, user).context_injection_role == "user"
    assert emitted(user, INJECT).context_injection_role == "system"


def test_a_hook_may_inject_several_texts() -> None:
    injections = [{"content": "A", "role": "user"}, ContextInjection(content="B", ephemeral=True)]
    result = emitted(says(action="inject_context", context_injections=injections))
    assert [(one.content, one.role, one.ephemeral) for one in result.context_injections] == [
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


# --- data


def test_changes_chain_and_replace_the_data_as_a_whole() -> None:
    async def add_five(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(action="modify", data={**data, "value": data["value"] + 5})

    result = emitted(says(action="modify", data={"value": 20}), add_five, CONTINUE, data={"value": 10, "gone": True})
    assert result.data == {"value": 25}


def test_a_modify_without_data_and_data_without_modify_change_nothing() -> None:
    for hook in (says(action="modify"), says(data={"value": 9})):
        data = emitted(hook).data
        assert data is not None and data.keys() == {"value", "timestamp"} and data["value"] == 1


def test_hooks_do_not_see_what_another_did_to_its_own_data() -> None:
    given = {"value": {"deep": [1]}}

    async def spoils(event: str, data: dict[str, Any]) -> HookResult:
        data["value"]["deep"].append(2)
        data["more"] = True
        return HookResult()

    seen = []

    async def looks(event: str, data: dict[str, Any]) -> HookResult:
        seen.append(data)
        return HookResult()

    result = emitted(spoils, looks, data=given)
    assert seen[0]["value"] == {"deep": [1]} and "more" not in seen[0]
    assert given == {"value": {"deep": [1]}} and result.data["value"] == {"deep": [1]}


def test_what_json_lacks_is_text() -> None:
    data = {"price": Decimal("1.50"), "at": datetime(2026, 1, 2, 3, 4, 5), "pair": (1, 2), "raw": b"x", 1: "one"}
    seen = []

    async def looks(event: str, data: dict[str, Any]) -> HookResult:
        seen.append({name: value for name, value in data.items() if name != "timestamp"})
        return HookResult()

    result = emitted(looks, says(action="modify", data={"price": Decimal("2.5")}), data=data)
    expected = {"price": "1.50", "at": "2026-01-02 03:04:05", "pair": [1, 2], "raw": "b'x'", "1": "one"}
    assert seen == [expected] and result.data == {"price": "2.5"}
    assert emitted(data={"price": Decimal(1)}).data == {"price": "1"}, "without hooks too"


def test_whole_numbers_are_exact() -> None:
    assert emitted(CONTINUE, data={"big": 2**70}).data["big"] == 2**70


def test_the_time_is_stamped_where_there_are_hooks_and_data_cannot_forge_it() -> None:
    before = datetime.now(UTC)
    stamped = emitted(CONTINUE, data={"timestamp": "yesterday"}).data["timestamp"]
    assert stamped.endswith("+00:00") and before <= datetime.fromisoformat(stamped) <= datetime.now(UTC)
    assert emitted(data={"value": 1}).data == {"value": 1}


def test_default_fields_are_below_the_event_s_data_and_set_anew_each_time() -> None:
    async def main() -> None:
        registry = HookRegistry()
        registry.register("x", CONTINUE)
        registry.set_default_fields(gone=1)
        registry.set_default_fields(session_id="s-1", value="default", timestamp="mine")
        data = (await registry.emit("x", {"value": "event"})).data
        assert data is not None and data["timestamp"] != "mine"
        assert {name: data[name] for name in data if name != "timestamp"} == {"session_id": "s-1", "value": "event"}

    asyncio.run(main())


# --- registering


def test_hooks_run_by_priority_then_in_the_order_of_registration() -> None:
    order: list[int] = []

    def noting(number: int) -> Hook:
        async def hook(event: str, data: dict[str, Any]) -> HookResult:
            order.append(number)
            return HookResult()

        return hook

    registry = HookRegistry()
    registry.register("e", noting(1), 5, "first")
    registry.register("e", noting(2), -1)
    registry.on("e", noting(3), 5, "third")
    asyncio.run(registry.emit("e", {}))
    assert order == [2, 1, 3]
    assert registry.list_handlers() == {"e": ["hook", "first", "third"]}


def test_unregistering_one_of_two_hooks_with_a_name_leaves_the_other() -> None:
    registry = HookRegistry()
    first = registry.register("e", says(action="deny", reason="first"), 0, "same")
    registry.register("e", says(action="deny", reason="second"), 1, "same")
    first()
    assert asyncio.run(registry.emit("e", {})).reason == "second"
    first()
    assert registry.list_handlers("e") == {"e": ["same"]}, "taking out twice takes out nothing else"


def test_unregistering_by_name_takes_the_newest() -> None:
    registry = HookRegistry()
    registry.register("e", says(action="deny", reason="first"), 0, "same")
    registry.register("e", says(action="deny", reason="second"), -1, "same")
    registry.unregister("same")
    assert asyncio.run(registry.emit("e", {})).reason == "first"
    registry.unregister("same")
    registry.unregister("same")
    assert registry.list_handlers("e") == {"e": []} and registry.list_handlers() == {}
    assert registry.client.list_hooks() == [], "nothing stays in the client"


def test_only_functions_are_registered_and_only_for_events_with_a_name() -> None:
    registry = HookRegistry()
    with pytest.raises(TypeError, match="not callable"):
        registry.register("e", "hook")
    with pytest.raises(ValueError, match="name"):
        registry.register("", CONTINUE)
    assert registry.client.list_hooks() == []


def test_a_hook_that_finds_no_place_in_the_client_leaves_nothing_behind() -> None:
    registry = HookRegistry(HookClient(max_hooks_per_event=None, max_total_hooks=3))
    registry.register("tool:pre", CONTINUE)
    with pytest.raises(Exception, match="max_total_hooks"):
        registry.register("tool:post", CONTINUE)
    assert registry.list_handlers() == {"tool:pre": ["hook"]} and len(registry.client.list_hooks()) == 2


def test_any_text_is_an_event() -> None:
    for event in ("tool:pree", "with space", "naïve/§", "tool:pre", "x"):
        assert emitted(DENY, event=event).reason == "no", event


def test_events_have_constants() -> None:
    assert (HookRegistry.TOOL_PRE, HookRegistry.ORCHESTRATOR_COMPLETE) == ("tool:pre", "orchestrator:complete")
    assert amplifier.events is events and len(events.ALL_EVENTS) == len(set(events.ALL_EVENTS)) == 44
    for name in events.__all__:
        assert getattr(HookRegistry, name) == getattr(events, name)


# --- what hooks return


@pytest.mark.parametrize(
    ("said", "action"),
    [
        (None, "continue"),
        ({"action": "deny", "reason": "no"}, "deny"),
        (HookResult(action="deny", reason="no"), "deny"),
        (HookResult(action="block", reason="no"), "deny"),
        (HookResult(action="explode"), "continue"),
        ("deny", "deny"),
        ("fine", "continue"),
        (False, "deny"),
        (True, "continue"),
        ({"permissionDecision": "deny"}, "deny"),
    ],
)
def test_what_is_no_result_is_passed_over_unless_it_says_no(said: Any, action: str) -> None:
    async def hook(event: str, data: dict[str, Any]) -> Any:
        return said

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


# --- where hooks run


@pytest.mark.parametrize("run", LOOPS)
def test_hooks_run_on_the_caller_s_task_and_loop(run: Callable[..., Any]) -> None:
    variable = contextvars.ContextVar("variable", default="unset")

    async def main() -> None:
        variable.set("caller's")

        async def looks(event: str, data: dict[str, Any]) -> HookResult:
            return HookResult(action="modify", data={"variable": variable.get()})

        registry = HookRegistry()
        registry.register("e", looks)
        assert (await registry.emit("e", {})).data == {"variable": "caller's"}

    run(main)


def test_hooks_run_on_the_caller_s_loop_and_are_cancelled_with_it() -> None:
    async def main() -> None:
        state: list[Any] = []

        async def hangs(event: str, data: dict[str, Any]) -> HookResult:
            state.append(asyncio.get_running_loop())
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                state.append("cancelled")
                raise
            return HookResult()

        registry = HookRegistry()
        registry.register("e", hangs)
        emission = asyncio.create_task(registry.emit("e", {}))
        while not state:
            await asyncio.sleep(0)
        emission.cancel()
        with pytest.raises(asyncio.CancelledError):
            await emission
        assert state == [asyncio.get_running_loop(), "cancelled"]

    asyncio.run(main())


def test_hooks_emit_and_many_emissions_run_at_once() -> None:
    async def main() -> None:
        registry = HookRegistry()

        async def outer(event: str, data: dict[str, Any]) -> HookResult:
            await asyncio.sleep(0)
            inner = await registry.emit("inner", {"number": data["number"]})
            return HookResult(action="inject_context", context_injection=f"{inner.reason} {data['number']}")

        async def inner(event: str, data: dict[str, Any]) -> HookResult:
            await asyncio.sleep(0)
            return HookResult(action="deny", reason=f"inner {data['number']}", user_message="inner")

        registry.register("outer", outer)
        registry.register("inner", inner)
        results = await asyncio.gather(*(registry.emit("outer", {"number": number}) for number in range(20)))
        assert [one.context_injection for one in results] == [f"inner {number} {number}" for number in range(20)]
        assert all(one.user_message is None for one in results), "what hooks of an inner emission say stays there"

    asyncio.run(main())


def test_an_emission_within_a_hook_does_not_touch_the_outer_one() -> None:
    async def main() -> None:
        shown: list[str] = []

        class Shows:
            def show_message(self, message: str, level: str, source: str) -> None:
                shown.append(message)

        coordinator = ModuleCoordinator(display_system=Shows())
        registry = coordinator.hooks

        async def outer(event: str, data: dict[str, Any]) -> HookResult:
            await registry.emit("inner", {})
            return HookResult(user_message="outer")

        registry.register("inner", says(action="deny", reason="inner", user_message="inner"))
        registry.register("outer", outer, 0)
        registry.register("outer", says(action="ask_user", approval_prompt="its own words?"), 1)
        result = await registry.emit("outer", {})
        assert result.approval_prompt == "its own words?"
        decided = await coordinator.process_hook_result(result, "outer")
        assert shown == ["outer"] and "its own words?" in (decided.reason or "")

    asyncio.run(main())


def test_deny_ends_an_emission_in_a_client_of_any_profile() -> None:
    registry = HookRegistry(HookClient())
    ran: list[str] = []

    def later(event: str, data: dict[str, Any]) -> None:
        ran.append(event)

    registry.register("tool:post", DENY)
    registry.register("tool:post", later)
    assert asyncio.run(registry.emit("tool:post", {})).action == "deny" and ran == []


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
    "said",
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
def test_an_answer_without_a_json_form_lets_nothing_pass(said: HookResult) -> None:
    assert emitted(lambda event, data: said).action == "deny"
    registry = HookRegistry()
    registry.register("tool:pre", lambda event, data: said)
    assert not asyncio.run(registry.client.session().run_tool("Bash", {}, lambda args: "ran")).ran


# --- collecting


def test_collecting_runs_all_hooks_and_gives_their_data(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        registry = HookRegistry()

        async def slow(event: str, data: dict[str, Any]) -> HookResult:
            await asyncio.sleep(60)
            return HookResult(data={"n": "slow"})

        async def raises(event: str, data: dict[str, Any]) -> HookResult:
            raise ValueError("boom")

        async def echo(event: str, data: dict[str, Any]) -> HookResult:
            return HookResult(data=data)

        registry.set_default_fields(default=1)
        registry.register("e", says(action="deny", reason="no", data={"n": 2}), 2)
        registry.register("e", says(action="modify", data={"n": 1, "price": Decimal("0.5")}), 1)
        registry.register("e", slow, 0, "slow")
        registry.register("e", raises, 0)
        registry.register("e", CONTINUE, 0)
        registry.register("e", echo, 3)
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert await registry.emit_and_collect("e", {"q": 1}) == [{"n": 1, "price": "0.5"}, {"n": 2}, {"q": 1}]
        assert 0.9 < loop.time() - began < 5, "a second for each hook"
        began = loop.time()
        assert len(await registry.emit_and_collect("e", {"q": 1}, timeout=0.01)) == 3
        assert loop.time() - began < 0.9
        assert await registry.emit_and_collect("nobody listens", {}) == []

    with caplog.at_level(logging.WARNING, logger="hookweave"):
        asyncio.run(main())
    assert "slow" in caplog.text and "boom" in caplog.text
