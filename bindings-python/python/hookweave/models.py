"""Models: what they are given, and what they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .context import ContextMessage

__all__ = ["Answer", "Model", "ModelRequest", "ModelResponse", "OnText", "ToolCall", "record_of"]

OnText: TypeAlias = Callable[[str], Any]
"""Called with the text of a response piece by piece."""


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
    """To be called with each piece of text as it comes, by models that stream; does nothing without a listener."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model calls."""

    name: str
    args: Mapping[str, Any] | str | None = field(default_factory=dict)
    """An object, or its JSON text as providers in the style of OpenAI send it; empty text is ``{}``."""
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


def _call_of(call: object) -> object:
    """A tool call in the form that the core reads; a value of another type stays as it is, and the core refuses it."""
    if isinstance(call, ToolCall):
        call = {"id": call.id, "name": call.name, "args": call.args}
    if not isinstance(call, Mapping):
        return call
    args = call.get("args")
    return {**call, "args": dict(args)} if isinstance(args, Mapping) else dict(call)


def _calls_of(calls: object) -> object:
    """The tool calls as a list; a value that is no collection stays as it is, and the core refuses it."""
    if calls is None:
        return []
    if isinstance(calls, str | bytes | Mapping) or not isinstance(calls, Iterable):
        return calls
    return [_call_of(call) for call in calls]


def record_of(answer: object, duration: float) -> dict[str, Any]:
    """The response as hooks see it; the duration in milliseconds."""
    if isinstance(answer, str):
        answer = ModelResponse(answer)
    if isinstance(answer, ModelResponse):
        answer = {"text": answer.text, "tool_calls": answer.tool_calls, "usage": answer.usage}
    if not isinstance(answer, Mapping):
        kind = type(answer).__name__
        raise TypeError(f"a model answers with a text, a mapping or a ModelResponse, not with a value of type {kind}")
    text, usage = answer.get("text"), answer.get("usage")
    filled = {
        "text": "" if text is None else text,
        "tool_calls": _calls_of(answer.get("tool_calls")),
        "usage": dict(usage) if isinstance(usage, Mapping) else usage,
    }
    return {**answer, **filled, "duration": duration}
