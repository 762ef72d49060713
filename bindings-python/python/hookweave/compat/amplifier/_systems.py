"""Amplifier's approval, context and display systems as those of a session."""

from __future__ import annotations

import inspect
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

from ...approval import ApprovalRequest
from ...context import Messages, Speaker
from ...display import LogDisplay
from ...response import Level
from .approval import ApprovalTimeoutError
from .models import ContextInjection, Role

__all__ = ["JUDGING", "Judging", "Systems"]

GRANTING: Final = ("Allow", "Allow once", "Allow always")
"""How an approval system says yes."""


@dataclass(slots=True)
class Judging:
    """What belongs to one judgement of the results of hooks."""

    event: str
    """Amplifier's name of it."""
    sources: dict[str, str]
    """The source of each hook's messages, by the hook's name."""
    passing: list[ContextInjection] | None = None
    """Where texts go that are not for the context."""


JUDGING: ContextVar[Judging | None] = ContextVar("hookweave_amplifier_judging", default=None)


@dataclass
class Systems:
    """Where the results of hooks go; None is the engine's own: no approver, a list, the log."""

    approval: Any = None
    context: Any = None
    display: Any = None
    own_context: Messages = field(default_factory=Messages)

    async def approve(self, request: ApprovalRequest) -> str:
        """Asks the approval system; an answer that is none of the options keeps its meaning."""
        if self.approval is None:
            raise LookupError("no approval system is set")
        options = list(request.options)
        try:
            chosen: str = await self.approval.request_approval(
                prompt=request.prompt, options=options, timeout=request.timeout, default=request.default
            )
        except (ApprovalTimeoutError, TimeoutError):
            if request.default == "allow" and request.granting:
                return request.granting[0]
            raise ApprovalTimeoutError("no answer in time, denied by default") from None
        if chosen in GRANTING and chosen not in request.granting and request.granting:
            return request.granting[0]
        return chosen

    async def add_message(self, role: Speaker, content: Any, metadata: dict[str, Any], /) -> None:
        """Hands a message to the context manager, in the shape that it takes."""
        judging = JUDGING.get()
        if judging is not None:
            if judging.passing is not None:
                judging.passing.append(ContextInjection(content=content, role=cast(Role, role), ephemeral=True))
                return
            metadata = {**metadata, "event": judging.event}
        if isinstance(metadata.get("timestamp"), int):
            metadata = {**metadata, "timestamp": datetime.fromtimestamp(metadata["timestamp"] / 1000, UTC).isoformat()}
        context: Any = self.own_context if self.context is None else self.context
        if "content" in inspect.signature(context.add_message).parameters:
            added = context.add_message(role, content, metadata)
        else:
            added = context.add_message({"role": role, "content": content, "metadata": metadata})
        if inspect.isawaitable(added):
            await added

    async def show_message(self, text: str, level: Level, source: str, /) -> None:
        """Hands a text to the display system."""
        judging = JUDGING.get()
        if judging is not None:
            source = judging.sources.get(source, source)
        if self.display is None:
            LogDisplay().show_message(text, level, source)
            return
        named = source if source == "hookweave" else f"hook:{source}"
        shown = self.display.show_message(message=text, level=level, source=named)
        if inspect.isawaitable(shown):
            await shown
