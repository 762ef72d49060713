"""Each Python example of other systems' documents about hooks, kept as it is, and what it does.

Those that cannot run are listed in docs/migration.md with what to write instead.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import subprocess
import time
import types
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hookweave.compat import amplifier
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

from compat_amplifier import Approval, Context, Display, Write
from compat_documents import example, run
from support import new_client

Names = dict[str, Any]


def defined(name: str, **surroundings: Any) -> Names:
    return asyncio.run(run(example("amplifier", name), HookResult=HookResult, **surroundings))


def test_data_modification_chaining() -> None:
    results = defined("data modification chaining")

    async def main() -> HookResult:
        registry = HookRegistry()
        for number in (1, 2, 3):
            registry.register("e", lambda event, data, number=number: results[f"result_{number}"], number)
        return await registry.emit("e", {"value": 10})

    assert asyncio.run(main()).data == {"value": 25}


def test_old_hooks_and_new_ones() -> None:
    hooks = defined("backward compatibility")

    async def main() -> tuple[HookResult, HookResult]:
        registry = HookRegistry()
        registry.register("old", hooks["simple_hook"])
        registry.register("new", hooks["enhanced_hook"])
        return await registry.emit("old", {}), await registry.emit("new", {})

    old, new = asyncio.run(main())
    assert old.action == "continue"
    assert (new.action, new.context_injection) == ("inject_context", "feedback")


def test_the_registry_has_the_constants_and_methods_of_its_sketch() -> None:
    sketch = defined("hook registry")["HookRegistry"]
    constants = {name: value for name, value in vars(sketch).items() if name.isupper()}
    assert len(constants) == 3
    for name, value in constants.items():
        assert getattr(HookRegistry, name) == value
    for method in ("register", "emit"):
        theirs, ours = (inspect.signature(getattr(kind, method)) for kind in (sketch, HookRegistry))
        assert list(theirs.parameters) == list(ours.parameters)
        for name, parameter in theirs.parameters.items():
            assert parameter.default in (inspect.Parameter.empty, ours.parameters[name].default)


class Kept:
    """A context in the shape of the document's examples."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def add_message(self, role: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        without_time = {name: value for name, value in (metadata or {}).items() if name != "timestamp"}
        self.messages.append((role, content, without_time))


class Log:
    """A logger that takes fields, as the document's does."""

    def __getattr__(self, level: str) -> Any:
        return lambda message, **fields: None


@pytest.mark.parametrize(
    "result",
    [
        HookResult(action="inject_context", context_injection="Line 42"),
        HookResult(action="inject_context", context_injection="x", context_injection_role="assistant"),
        HookResult(action="inject_context", context_injection="x" * MAX_INJECTION_SIZE),
        HookResult(action="inject_context", context_injection="x" * (MAX_INJECTION_SIZE + 1)),
    ],
    ids=["text", "role", "longest", "too long"],
)
def test_the_document_s_injection_and_ours_come_to_the_same(result: HookResult) -> None:
    handle = defined(
        "context injection handler",
        MAX_INJECTION_SIZE=MAX_INJECTION_SIZE,
        INJECTION_BUDGET_PER_TURN=1000,
        datetime=datetime,
        logger=Log(),
    )["handle_context_injection"]

    async def outcome(kept: Kept, handled: Any) -> Any:
        try:
            await handled()
        except ValueError as error:
            assert "exceeds" in str(error)
            return "refused"
        return kept.messages

    async def main() -> tuple[Any, Any]:
        theirs, ours = Kept(), Kept()
        document = types.SimpleNamespace(injection_budget=0, context=theirs)
        coordinator = SessionCoordinator(HookRegistry(), ours, Approval(), Display())
        return (
            await outcome(theirs, lambda: handle(document, result, "linter", "tool:post")),
            await outcome(ours, lambda: coordinator.handle_context_injection(result, "linter", "tool:post")),
        )

    theirs, ours = asyncio.run(main())
    assert theirs == ours


@pytest.mark.parametrize("answer", ["Allow", "Deny", ApprovalTimeout("late")], ids=str)
@pytest.mark.parametrize("default", ["allow", "deny"])
def test_the_document_s_approval_and_ours_come_to_the_same(answer: Any, default: Any) -> None:
    handle = defined("approval request handler", ApprovalTimeout=ApprovalTimeout, logger=Log())[
        "handle_approval_request"
    ]
    result = HookResult(action="ask_user", approval_prompt="Write it?", approval_default=default)

    async def main() -> tuple[HookResult, HookResult]:
        coordinator = SessionCoordinator(HookRegistry(), Context(), Approval(answer), Display())
        document = types.SimpleNamespace(approval_system=Approval(answer))
        return await handle(document, result, "guard"), await coordinator.handle_approval_request(result, "guard")

    theirs, ours = asyncio.run(main())
    assert theirs.action == ours.action
    assert ("denied" in (theirs.reason or "")) == ("denied" in (ours.reason or ""))


def test_an_orchestrator_tells_that_it_is_done() -> None:
    class Loop:
        def __init__(self, hooks: HookRegistry) -> None:
            self.hooks, self.session_id, self.turn_count = hooks, "s-1", 3

    heard: list[Any] = []

    async def stats(event: str, data: dict[str, Any]) -> HookResult:
        heard.append((event, data))
        return HookResult()

    async def main() -> None:
        registry = HookRegistry()
        registry.register(registry.ORCHESTRATOR_COMPLETE, stats)
        names = await run(example("amplifier", "orchestrators"), time=time, start_time=time.time() - 2)
        await names["execute"](Loop(registry), "prompt", None, [], [])

    asyncio.run(main())
    ((event, data),) = heard
    assert event == "orchestrator:complete"
    assert (data["session_id"], data["orchestrator"], data["turn_count"], data["status"]) == (
        "s-1",
        "Loop",
        3,
        "success",
    )
    assert 2000 <= data["duration_ms"] < 60_000


def test_a_context_manager_takes_what_hooks_inject(caplog: pytest.LogCaptureFixture) -> None:
    logged: list[Any] = []

    class Logger(Log):
        def debug(self, message: str, **fields: Any) -> None:
            logged.append((message, fields["hook"], fields["role"], fields["size"]))

    add_message = defined("context manager", datetime=datetime, logger=Logger())["add_message"]
    manager = type("Manager", (), {"add_message": add_message})()
    manager.messages = []
    result = HookResult(action="inject_context", context_injection="Line 42")
    coordinator = ModuleCoordinator(context=manager)
    asyncio.run(coordinator.process_hook_result(result, "tool:post", "linter"))
    (message,) = manager.messages
    assert (message["role"], message["content"], message["metadata"]["hook_name"]) == ("system", "Line 42", "linter")
    assert logged == [("message_from_hook", "linter", "system", 7)]


def test_the_document_s_unit_tests_pass() -> None:
    coordinator = SessionCoordinator(HookRegistry(), Context(), Approval(), Display())
    names = defined("unit tests", pytest=pytest, coordinator=coordinator, MAX_INJECTION_SIZE=MAX_INJECTION_SIZE)
    names["test_hook_result_fields"]()
    names["test_injection_size_limit"]()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnknownMarkWarning")
def test_the_document_s_integration_test_passes() -> None:
    """The linter of the document, which it takes for granted, is a real one of one rule."""

    async def linter_feedback_hook(event: str, data: dict[str, Any]) -> HookResult:
        lines = data["tool_input"]["content"].splitlines()
        long = [f"Line {number}: E501 line too long" for number, line in enumerate(lines, 1) if len(line) > 79]
        if not long:
            return HookResult()
        return HookResult(action="inject_context", context_injection="\n".join(long), suppress_output=True)

    async def main() -> None:
        context, tool = Context(), Write()
        coordinator = ModuleCoordinator(context=SyncMessages(context))
        await coordinator.mount("tools", tool)
        names = await run(
            example("amplifier", "integration tests"),
            pytest=pytest,
            registry=coordinator.hooks,
            session=AmplifierSession(coordinator),
            linter_feedback_hook=linter_feedback_hook,
        )
        await names["test_linter_feedback_loop"]()
        assert tool.written == [{"file_path": "/tmp/test.py", "content": "x" * 200}]

    asyncio.run(main())


class SyncMessages:
    """The document's test reads messages without waiting."""

    def __init__(self, context: Context) -> None:
        self.add_message = context.add_message
        self.get_messages = lambda: context.messages


def test_the_document_s_real_world_test_holds_once_its_mistake_in_spelling_is_mended() -> None:
    class MockApprovalSystem(Approval):
        def __init__(self, default_decision: str) -> None:
            super().__init__(default_decision)
            self.request_approval = self.Called(self)

        class Called:
            """Knows whether it was called."""

            def __init__(self, approval: Approval) -> None:
                self.approval, self.called = approval, False

            async def __call__(self, **asked: Any) -> str:
                self.called = True
                return str(self.approval.answer)

    made: list[MockApprovalSystem] = []

    def mock(default_decision: str) -> MockApprovalSystem:
        made.append(MockApprovalSystem(default_decision))
        coordinator.approval_system = made[-1]
        return made[-1]

    async def production(event: str, data: dict[str, Any]) -> HookResult:
        if not data["tool_input"]["file_path"].startswith("/production/"):
            return HookResult()
        return HookResult(action="ask_user", approval_prompt="Write to production?")

    coordinator = ModuleCoordinator()
    tool = Write()
    source = example("amplifier", "real-world tests").replace("Mock ApprovalSystem", "MockApprovalSystem")

    async def main() -> None:
        await coordinator.mount("tools", tool)
        coordinator.hooks.register("tool:pre", production)
        names = await run(source, MockApprovalSystem=mock, session=AmplifierSession(coordinator))
        await names["test_production_protection_real_world"]()

    asyncio.run(main())
    assert tool.written == [] and made[0].request_approval.called


def test_git_status_at_the_start_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document shows two pieces of a program; the second defines what the first registers."""
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "new.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    first, second = example("amplifier", "new pattern").split("# Hook implementation\n")

    async def main() -> None:
        registry = HookRegistry()
        names = await run(second, HookResult=HookResult, subprocess=subprocess)
        await run(first, registry=registry, git_status_injector=names["git_status_injector"])
        emitted = await registry.emit("session:start", {})
        assert (emitted.context_injection, emitted.suppress_output) == ("Git status:\n?? new.py\n", True)
        session = registry.client.session()
        await session.start()
        assert [message.content for message in session.context.messages] == ["Git status:\n?? new.py\n"]

    asyncio.run(main())


def test_the_python_behind_cocode_s_first_example(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks.toml"
    hooks.write_text(example("cocode", "validate bash commands"), encoding="utf-8")
    client = new_client(profile="cocode", project_dir=tmp_path)
    report = client.load(hooks)
    assert [hook.name for hook in client.list_hooks()] == ["validate-bash"] and report.problems == ()

    async def judged(tool: str, command: str) -> tuple[bool, str | None]:
        outcome = await client.dispatch("PreToolUse", tool=tool, args={"command": command}, cwd=str(tmp_path))
        assert all(entry.failure is None for entry in outcome.trace)
        return outcome.blocked, outcome.reason

    async def main() -> None:
        for command in ("rm -rf / --no-preserve-root", "sudo rm x", ":(){:|:&};:"):
            assert await judged("Bash", command) == (True, "Dangerous command blocked")
        assert await judged("Bash", "ls") == (False, None)
        assert await judged("Read", "rm -rf /") == (False, None)

    asyncio.run(main())


def test_what_the_examples_import_is_there() -> None:
    """The names by which the document calls its parts, at the places where modules import them from."""
    from hookweave.compat.amplifier.approval import ApprovalSystem, ApprovalTimeoutError
    from hookweave.compat.amplifier.coordinator import ModuleCoordinator as Coordinator
    from hookweave.compat.amplifier.display import DisplaySystem
    from hookweave.compat.amplifier.events import TOOL_PRE
    from hookweave.compat.amplifier.hooks import ContextInjection
    from hookweave.compat.amplifier.hooks import HookRegistry as Registry
    from hookweave.compat.amplifier.interfaces import HookHandler
    from hookweave.compat.amplifier.models import HookResult as Result

    named = [ApprovalSystem, DisplaySystem, HookHandler, ContextInjection, Coordinator, Registry, Result, ToolResult]
    assert all(getattr(amplifier, kind.__name__) is kind for kind in named)
    assert ApprovalTimeout is ApprovalTimeoutError and TOOL_PRE == "tool:pre"
    assert logging.getLogger("hookweave")
