"""Amplifier's registry: which hooks run, in which order, and where."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

import pytest
from hookweave.compat import amplifier
from hookweave.compat.amplifier import (
    HookRegistry,
    HookResult,
    ModuleCoordinator,
    events,
)

from compat_amplifier import (
    CONTINUE,
    DENY,
    Hook,
    emitted,
    says,
)
from support import new_client
from test_loops import LOOPS


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
    registry = HookRegistry(new_client(max_hooks_per_event=None, max_total_hooks=3))
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
                await asyncio.sleep(3600)
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
        assert [result.context_injection for result in results] == [f"inner {number} {number}" for number in range(20)]
        assert all(result.user_message is None for result in results), "what hooks of an inner emission say stays there"

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
        assert shown == ["outer"] and decided.reason == "No approval system available"

    asyncio.run(main())


def test_deny_ends_an_emission_in_a_client_of_any_profile() -> None:
    registry = HookRegistry(new_client())
    ran: list[str] = []

    def later(event: str, data: dict[str, Any]) -> None:
        ran.append(event)

    registry.register("tool:post", DENY)
    registry.register("tool:post", later)
    assert asyncio.run(registry.emit("tool:post", {})).action == "deny" and ran == []


def test_an_emission_keeps_where_texts_belong_and_from_whom_they_are() -> None:
    async def main() -> None:
        coordinator = ModuleCoordinator()
        registry = coordinator.hooks
        todo = {"ephemeral": True, "append_to_last_tool_result": True}
        registry.register("e", says(action="inject_context", context_injection="todo", **todo), name="todo")
        registry.register("e", says(action="inject_context", context_injection="time", ephemeral=True), name="time")
        registry.register("e", says(user_message="hello", user_message_source="greeter"), name="shows")
        result = await registry.emit("e", {})
        assert result.user_message_source == "greeter" and not result.append_to_last_tool_result
        appended = {one.content: one.append_to_last_tool_result for one in result.context_injections}
        assert appended == {"todo": True, "time": False}
        passed = await coordinator.process_hook_result(result, "e", "composite")
        assert [one.hook_name for one in passed.context_injections] == ["todo", "time"]

    asyncio.run(main())


def test_a_model_can_be_emitted() -> None:
    class Model:
        def model_dump(self) -> dict[str, Any]:
            return {"a": 1}

    registry = HookRegistry()
    assert asyncio.run(registry.emit("e", Model())).data == {"a": 1}
