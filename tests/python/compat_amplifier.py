"""Hooks, and everything that Amplifier's coordinator talks to, for the tests of both."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable
from typing import Any

from hookweave.compat.amplifier import HookRegistry, HookResult, ModuleCoordinator, ToolResult

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


class Write:
    name = "Write"

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    async def execute(self, input: dict[str, Any]) -> ToolResult:
        self.written.append(input)
        return ToolResult(success=True, output="written")
