"""Models: what they are given, and what they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .context import ContextMessage

__all__ = ["Model", "ModelRequest", "ModelResponse", "OnText", "ToolCall", "record_of"]

OnText: TypeAlias = Callable[[str], Any]
"""Hears the text of a response piece by piece."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is given."""

    prompt: str
    system_prompt: str | None
    tools: list[Any]
    """The names of the tools that it may call, as hooks left them."""
    messages: list[ContextMessage]
    """The conversation; at its end what hooks added for this call only."""
    on_text: OnText
    """To be called with each piece of text as it comes, by models that stream; does nothing when nobody listens."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model calls."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """What a model answers; ``usage["total_tokens"]`` is read."""

    text: str = ""
    tool_calls: Sequence[ToolCall | Mapping[str, Any]] = ()
    usage: Mapping[str, Any] | None = None


Answer: TypeAlias = str | ModelResponse | Mapping[str, Any]
Model: TypeAlias = Callable[[ModelRequest], Awaitable[Answer] | Answer]
"""Answers with a text, a :class:`ModelResponse`, or a mapping of its fields; sync or async."""


def _call_of(call: object) -> dict[str, Any]:
    if isinstance(call, ToolCall):
        return {"id": call.id, "name": call.name, "args": call.args}
    if isinstance(call, Mapping):
        return dict(call)
    raise TypeError(f"a tool call of the model is a mapping or a ToolCall, not a value of type {type(call).__name__}")


def record_of(answer: object, duration: float) -> dict[str, Any]:
    """The response as hooks see it; the duration in milliseconds."""
    if isinstance(answer, str):
        answer = ModelResponse(answer)
    if isinstance(answer, ModelResponse):
        answer = {"text": answer.text, "tool_calls": answer.tool_calls, "usage": answer.usage}
    if not isinstance(answer, Mapping):
        kind = type(answer).__name__
        raise TypeError(f"a model answers with a text, a mapping or a ModelResponse, not with a value of type {kind}")
    calls = [_call_of(call) for call in answer.get("tool_calls") or ()]
    filled = {"text": answer.get("text") or "", "tool_calls": calls, "usage": answer.get("usage")}
    return {**answer, **filled, "duration": duration}
