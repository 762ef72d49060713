"""What modules of Amplifier look like."""

from __future__ import annotations

from typing import Any, Protocol

from .models import HookResult

__all__ = ["ContextManager", "HookHandler", "Tool"]


class HookHandler(Protocol):
    """A hook: called with the event's name and data that are its own to change."""

    async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
        """Says what it makes of the event."""
        ...


class ContextManager(Protocol):
    """Keeps a conversation. One whose method takes ``role, content, metadata`` will do as well."""

    async def add_message(self, message: dict[str, Any]) -> None:
        """Takes in ``{"role", "content", "metadata"}``."""
        ...


class Tool(Protocol):
    """Something that an agent may call."""

    @property
    def name(self) -> str:
        """What it is called by."""
        ...

    async def execute(self, input: dict[str, Any]) -> Any:
        """Does its work and gives a :class:`~.models.ToolResult`, or its output."""
        ...
