"""What asserts look at: outcomes of events, of tool calls and of whole generations, seen the same way."""

from __future__ import annotations

import textwrap
from typing import Any, TypeAlias

from .. import _native
from .._native import Outcome
from ..session_results import Generation, ToolOutcome

__all__ = ["Judged", "by", "describe", "is_blocked", "outcomes"]

Judged: TypeAlias = Outcome[Any] | ToolOutcome | Generation
"""What hooks have judged: an event, a tool call of a session, or a whole generation."""


def outcomes(judged: Judged) -> list[Outcome[Any]]:
    """The outcome of each event, in order."""
    given: object = judged
    if isinstance(given, Outcome):
        return [given]
    if isinstance(given, (ToolOutcome, Generation)):
        return list(given.outcomes)
    hint = "; was `await` forgotten?" if hasattr(given, "__await__") else ""
    raise TypeError(f"an Outcome, a ToolOutcome or a Generation is expected, not a {type(given).__name__}{hint}")


def is_blocked(judged: Judged) -> bool:
    """Whether what the agent was about to do must not happen."""
    outcomes(judged)  # Says what is wrong with anything else.
    if isinstance(judged, ToolOutcome):
        return judged.decision in ("block", "stop", "deny")
    if isinstance(judged, Generation):
        return judged.status in ("blocked", "stopped")
    return judged.blocked


def by(judged: Judged) -> str | None:
    """Who decided."""
    if isinstance(judged, ToolOutcome):
        return judged.by
    deciders = [_native.outcome_snapshot(outcome, []).get("by") for outcome in outcomes(judged)]
    named: list[str] = [hook for hook in deciders if hook is not None]
    return named[-1] if named else None


def describe(judged: Judged) -> str:
    """Who decided what and why, and what became of every hook, also of those that were not selected."""
    events = "".join(outcome.describe() for outcome in outcomes(judged))
    if isinstance(judged, Outcome):
        return events
    if isinstance(judged, Generation):
        why = f": {judged.reason}" if judged.reason else ""
        head = f"generation: {judged.status}{why}; model calls: {judged.model_calls}"
    else:
        ran = f"ran {judged.attempts} times" if judged.attempts > 1 else "ran" if judged.ran else "did not run"
        decider = f" by `{judged.by}`" if judged.by else ""
        why = f": {judged.reason}" if judged.reason else ""
        failed = f"; it failed: {judged.error}" if judged.error else ""
        head = f"call of {judged.tool}: {ran}, {judged.decision}{decider}{why}{failed}"
    return f"{head}\n{textwrap.indent(events, '  ')}"
