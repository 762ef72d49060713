"""What the methods of a session give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from ._native import Outcome
from .errors import ToolFailedError
from .outcome import Injection, TraceEntry

__all__ = ["Compaction", "Generation", "ModelOutcome", "Started", "Stopped", "Submitted", "ToolDecision", "ToolOutcome"]

ToolDecision: TypeAlias = Literal["continue", "allow", "ask", "skip", "block", "stop", "deny"]


def _trace(outcomes: Sequence[Outcome[Any]]) -> list[TraceEntry]:
    return [entry for outcome in outcomes for entry in outcome.trace]


@dataclass(frozen=True, slots=True)
class Started:
    """What came of a beginning."""

    accepted: bool
    reason: str | None
    env: dict[str, str]
    """Variables that hooks left for tools and commands."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What came of a prompt."""

    accepted: bool
    prompt: str
    """As hooks left it."""
    reason: str | None
    """Why it was not accepted."""
    stops: bool
    """A hook wants the agent to stop."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """What came of an end."""

    should_continue: bool
    """A hook wants the agent to go on; the reason is in the context."""
    reason: str | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """What came of a compaction."""

    compacted: bool
    summary: str | None
    reason: str | None
    """Why the context was not made shorter."""
    removed: int
    """How many messages the summary stands for."""
    kept: int
    """How many stayed as they were."""


@dataclass(frozen=True)
class ToolOutcome:
    """What came of a tool call."""

    tool: str
    tool_use_id: str
    ran: bool
    """Whether the tool was run at all."""
    ok: bool
    """Whether it ran to its end without failing."""
    output: Any
    """What it found or did, as hooks left it; None when it did not run."""
    decision: ToolDecision
    """What was decided before it ran; one of the last three when it did not."""
    reason: str | None
    """Why it did not run."""
    by: str | None
    """Who decided that: a hook, ``user``, ``timeout`` or ``host``."""
    args: Any
    """The arguments that it ran with, or would have."""
    result: dict[str, Any] | None
    """The whole result: ``success``, ``output``, ``duration`` in milliseconds, perhaps ``exit_code``."""
    error: ToolFailedError | None
    """Why it failed; ``error.__cause__`` is what the tool raised."""
    attempts: int
    """How often it was run."""
    feedback: list[str]
    """What hooks object to in what it did, for the model."""
    injected: list[Injection]
    """What hooks added for the model."""
    suppress_output: bool
    """A hook wants its own output kept out of the transcript."""
    stops: bool
    """A hook wants the agent to stop."""
    outcomes: tuple[Outcome[Any], ...]
    """The outcome of each event of the call."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Self:
        """Makes one of a dict of all fields, which it keeps; the initialiser takes longer than a dispatch."""
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        return made

    @property
    def trace(self) -> list[TraceEntry]:
        """What became of each hook of the call, in order."""
        return _trace(self.outcomes)


@dataclass(frozen=True, slots=True)
class Generation:
    """What came of a prompt that the model was to answer."""

    status: Literal["done", "blocked", "stopped", "failed", "limit"]
    """``stopped``: a hook stopped the agent; ``limit``: the model was called too often."""
    text: str
    """The model's last text."""
    reason: str | None
    """Why it did not come to its end."""
    model_calls: int
    tools: list[ToolOutcome]
    """The tool calls, in order."""
    response: dict[str, Any] | None
    """The model's last response, as hooks left it."""
    error: BaseException | None
    """What the model raised last, when that ended it."""
    outcomes: tuple[Outcome[Any], ...]
    """The outcome of each event."""

    @property
    def trace(self) -> list[TraceEntry]:
        """What became of each hook, in order."""
        return _trace(self.outcomes)


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """What came of a call of the model in halves."""

    status: Literal["done", "blocked", "stopped", "failed"]
    """``stopped``: a hook stopped the agent."""
    reason: str | None
    """Why the response is not to be used."""
    text: str
    """The text of the response, as hooks left it."""
    response: dict[str, Any] | None
    """The response, as hooks left it."""
    attempts: int
    """How often the model was called."""
    error: BaseException | None
    """What the model raised last, when that ended it."""
    outcomes: tuple[Outcome[Any], ...]
    """The outcome of each event of the call."""

    @property
    def trace(self) -> list[TraceEntry]:
        """What became of each hook of the call, in order."""
        return _trace(self.outcomes)
