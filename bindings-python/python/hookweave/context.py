"""Where a conversation is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

__all__ = ["Context", "ContextMessage", "Messages", "Speaker"]

Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message of the conversation; ``content`` is a text, a model's response, or a tool's result."""

    role: Speaker
    content: Any
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from: ``source``, and for what hooks say ``hook_name``, ``event`` and ``timestamp``."""


class Context(Protocol):
    """Keeps a conversation. What it raises is logged and shown to the user, and stops nothing."""

    def add_message(self, role: Speaker, content: Any, metadata: dict[str, Any], /) -> Awaitable[None] | None:
        """Takes a message in, sync or async.

        If the context has an attribute ``messages`` too, the model is given what it holds. Its method
        ``replace_messages(messages)``, sync or async, makes it shorter.
        """
        ...


class Messages:
    """A conversation in memory; what a session uses that was given no other."""

    __slots__ = ("messages",)

    def __init__(self) -> None:
        self.messages: list[ContextMessage] = []

    def add_message(self, role: Speaker, content: Any, metadata: dict[str, Any], /) -> None:
        """Appends the message."""
        self.messages.append(ContextMessage(role, content, metadata))

    def replace_messages(self, messages: list[ContextMessage], /) -> None:
        """Takes a shorter conversation in its place."""
        self.messages[:] = messages
