"""Amplifier's modules: mounted on a coordinator, around its tools and in sessions of hookweave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hookweave.compat.amplifier import (
    AmplifierSession,
    HookRegistry,
    HookResult,
    ModuleCoordinator,
    ToolResult,
)

from compat_amplifier import (
    Stage,
    Write,
    says,
)
from support import new_client


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
            assert message["content"] == "E501 line too long"
            assert (message["metadata"]["hook_name"], message["metadata"]["event"]) == ("lint", "tool:post")
        assert stage.coordinator.hooks.list_handlers() == {}, "the module has cleaned up"

    asyncio.run(main())


def test_a_module_guards_a_session_of_hookweave() -> None:
    async def main() -> None:
        client = new_client(profile="amplifier")
        await mount(ModuleCoordinator(hooks=HookRegistry(client)), {"blocked": ["Bash"]})
        session = client.session("s-2")
        refused = await session.run_tool("Bash", {"command": "ls"}, lambda args: "ran")
        assert (refused.ran, refused.reason, refused.by) == (False, "Bash is blocked", "guard")
        written = await session.run_tool("Write", {"content": "x" * 80}, lambda args: "ran")
        assert [injection.content for injection in written.injected] == ["E501 line too long"]

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
    registry.register("tool:pre", says(action="continue"))
    call = asyncio.run(registry.client.session().run_tool("Bash", {"command": value}, lambda args: "ran"))
    assert not call.ran or isinstance(value, int)


def test_an_approval_in_a_session_is_for_the_very_arguments() -> None:
    async def main() -> None:
        stage = Stage("Allow always")
        options = ["Allow once", "Allow always", "Deny"]
        ask = says(action="ask_user", approval_prompt="Write it?", approval_options=options)
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


@pytest.mark.parametrize("event", ["tool:pre", " a|b ", "[x]*?{1,2}", "#", "naïve"])
def test_events_of_any_name_are_acted_on(event: str) -> None:
    stage = Stage("Deny")
    assert stage.process(HookResult(action="ask_user", approval_prompt="ok?"), event=event).action == "deny"
    stage.process(HookResult(action="inject_context", context_injection="x"), event=event)
    assert [message["metadata"]["event"] for message in stage.context.messages] == [event]


def test_what_is_injected_asked_and_decided_is_in_the_audit_log() -> None:
    records: list[dict[str, Any]] = []

    async def main() -> None:
        coordinator = ModuleCoordinator(approval_system=Stage("Deny").approval, audit={"callback": records.append})
        inject = HookResult(action="inject_context", context_injection="Line 42")
        await coordinator.process_hook_result(inject, "tool:post", "linter")
        ask = HookResult(action="ask_user", approval_prompt="Write it?")
        await coordinator.process_hook_result(ask, "tool:pre", "guard")
        await coordinator.cleanup()

    asyncio.run(main())
    by_kind = {record["kind"]: record for record in records}
    assert (by_kind["injected"]["hook"], by_kind["injected"]["details"]["content"]) == ("linter", "Line 42")
    assert by_kind["injected"]["tool"].startswith("tool:post#")
    assert (by_kind["approval_asked"]["hook"], by_kind["approval_asked"]["details"]["prompt"]) == ("guard", "Write it?")
    assert by_kind["approval_decided"]["outcome"] == "denied" and by_kind["approval_decided"]["details"]["by"] == "user"
