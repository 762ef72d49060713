"""Amplifier's approval, context and display systems as those of a session."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

from ...approval import ApprovalRequest
from ...context import Messages, Speaker
from ...display import LogDisplay
from ...response import Level
from .._dialect import event_of
from ._answers import DIALECT
from .approval import ApprovalTimeoutError
from .events import ALL_EVENTS
from .models import ContextInjection, Role

__all__ = ["JUDGING", "Judging", "Systems"]

GRANTING: Final = ("allow", "allow once", "allow always")
"""How an approval system says yes, in any case."""


@dataclass(slots=True)
class Judging:
    """What belongs to one judgement of the results of hooks."""

    event: str
    """Amplifier's name of it."""
    sources: dict[str, str]
    """The source of each hook's messages, by the hook's name."""
    passing: list[ContextInjection] | None = None
    """Where texts go that are not for the context."""
    denied: str | None = None
    """Why no approval was given, in Amplifier's words."""


JUDGING: ContextVar[Judging | None] = ContextVar("hookweave_amplifier_judging", default=None)


def _by_name_or_place(call: Callable[..., Any], **given: Any) -> Any:
    """Calls a method of the host's by the names of Amplifier's protocols, or by place if its parameters have others."""
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return call(*given.values())
    takes_names = all(name in parameters for name in given) or any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    return call(**given) if takes_names else call(*given.values())


def _event_name(event: str) -> str:
    """Amplifier's name of an event of the engine's; one that it does not have keeps its own."""
    return next((name for name in ALL_EVENTS if event_of(DIALECT, name) == event), event)


def _denied(judging: Judging | None, reason: str) -> str:
    if judging is not None and judging.denied is None:
        judging.denied = reason
    return "Deny"


@dataclass
class Systems:
    """Where the results of hooks go; None is the engine's own: no approver, a list, the log."""

    approval: Any = None
    context: Any = None
    display: Any = None
    own_context: Messages = field(default_factory=Messages)

    async def approve(self, request: ApprovalRequest) -> str:
        """Asks the approval system; an answer that is none of the options keeps its meaning."""
        judging = JUDGING.get()
        prompt = request.prompt
        if self.approval is None:
            return _denied(judging, "No approval system available")
        try:
            asked = _by_name_or_place(
                self.approval.request_approval,
                prompt=prompt,
                options=list(request.options),
                timeout=request.timeout,
                default=request.default,
            )
            chosen: object = await asked if inspect.isawaitable(asked) else asked
        except (ApprovalTimeoutError, TimeoutError):
            if request.default == "allow" and request.granting:
                return request.granting[0]
            return _denied(judging, f"Timeout - denied by default: {prompt}")
        if chosen in request.granting:
            return str(chosen)
        if isinstance(chosen, str) and chosen.lower() in GRANTING and request.granting:
            return request.granting[0]
        return _denied(judging, f"User denied: {prompt}")

    async def add_message(self, role: Speaker, content: Any, metadata: dict[str, Any], /) -> None:
        """Hands a message to the context manager, in the shape that it takes."""
        judging = JUDGING.get()
        if judging is not None and judging.passing is not None:
            hook = str(metadata.get("hook_name", "unknown"))
            injection = ContextInjection(
                content=content, role=cast(Role, role), ephemeral=True, hook_name=hook, event=judging.event
            )
            judging.passing.append(injection)
            return
        if isinstance(event := metadata.get("event"), str):
            metadata = {**metadata, "event": _event_name(event) if judging is None else judging.event}
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
        shown = _by_name_or_place(self.display.show_message, message=text, level=level, source=named)
        if inspect.isawaitable(shown):
            await shown
