"""Runs the tools of an Amplifier agent with its hooks around them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ...tools import ToolResult as Ran
from .coordinator import ModuleCoordinator
from .models import ToolResult

__all__ = ["AmplifierSession"]


class AmplifierSession:
    """Calls the tools that are mounted on a coordinator, by the rules of hookweave's sessions.

    Hooks of ``tool:pre`` judge a call, the coordinator's approval system is asked, hooks of ``tool:post`` look at the
    result, and what they inject is in the coordinator's context.
    """

    def __init__(self, coordinator: ModuleCoordinator) -> None:
        self.coordinator = coordinator
        systems = coordinator._systems
        self._session = coordinator.hooks.client.session(
            coordinator.session_id, approval=systems.approve, context=systems, display=systems
        )

    @property
    def session_id(self) -> str:
        """The session's id, also in the data of events."""
        return self._session.id

    @property
    def context(self) -> Any:
        """Where the conversation is kept."""
        return self.coordinator.context

    async def execute_tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        """Makes a call of a mounted tool; ``error`` says why one that was not allowed was not run."""
        tool = self.coordinator.get("tools", name)
        if tool is None:
            known = ", ".join(self.coordinator.get("tools")) or "none"
            raise LookupError(f"no tool {name!r} is mounted; known are: {known}")

        async def run(input: dict[str, Any]) -> Ran:
            given = tool.execute(input)
            result = await given if inspect.isawaitable(given) else given
            success = getattr(result, "success", None)
            if success is None:
                return Ran(result)
            return Ran(result.output if success else result.error or result.output, success=bool(success))

        outcome = await self._session.run_tool(name, args, run)
        error = None if outcome.ok else outcome.reason or outcome.output
        return ToolResult(success=outcome.ok, output=outcome.output if outcome.ok else None, error=error)

    async def __aenter__(self) -> AmplifierSession:
        """Begins: raises ``session:start``."""
        await self._session.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends: raises ``session:end`` and cleans up after the modules."""
        await self._session.end()
        await self.coordinator.cleanup()
