"""What each hook of a client did so far, in numbers."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from .errors import FailureKind
from .response import Action

__all__ = ["Durations", "HookStats", "HookWarning", "Stats", "WarningKind"]

WarningKind: TypeAlias = Literal[
    "never_matched", "unknown_tool", "always_fails", "slow", "misspelled_field", "observes"
]


@dataclass(frozen=True, slots=True)
class Durations:
    """How long the runs of a hook took, in seconds.

    Percentiles are within 6.25 % of the true ones; ``max`` is exact.
    """

    p50: float
    p95: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True)
class HookStats:
    """What one hook did."""

    hook: str
    id: str
    event: str
    runs: int
    """How often it was started, rechecks and detached runs too."""
    decisions: Mapping[Action, int]
    """The runs by what they decided, or what the failure rule made of their failure."""
    failures: Mapping[FailureKind, int]
    modifications: int
    """The runs that changed the event."""
    would_block: int
    """The runs in which it would have blocked the event, had it not observed."""
    skipped: int
    """How often it was selected and passed over."""
    overran: int
    """The runs that ended later than they may and could not be interrupted."""
    duration: Durations | None
    """None when no run was waited for."""
    last_run: datetime | None
    """When a run last ended or, of a detached one, began; in UTC."""
    never_matched: bool
    """No dispatch has selected it."""


@dataclass(frozen=True, slots=True)
class HookWarning:
    """A hook that a person should look at: what was seen, and what helps."""

    hook: str
    id: str
    event: str
    kind: WarningKind
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"hook {self.hook} on {self.event} {self.reason}; {self.fix}"


@dataclass(frozen=True, slots=True)
class Stats:
    """What the hooks of a client did: ``hooks`` in the order in which they run, dispatches by event, warnings."""

    hooks: tuple[HookStats, ...]
    events: Mapping[str, int]
    warnings: tuple[HookWarning, ...]
    _canonical: Mapping[str, Any] = field(repr=False, compare=False)

    def __getitem__(self, hook: str) -> HookStats:
        """The hook of this id, or the only one of this name; ``KeyError`` where there is none or where several are."""
        found = [stats for stats in self.hooks if hook in (stats.hook, stats.id)]
        if len(found) == 1:
            return found[0]
        ids = ", ".join(stats.id for stats in found)
        raise KeyError(f"{len(found)} hooks are named `{hook}`; take one by its id: {ids}" if found else hook)

    def to_dict(self) -> dict[str, Any]:
        """The canonical form, the same in every language: ``snake_case``, microseconds and milliseconds."""
        return copy.deepcopy(dict(self._canonical))


def stats_of(whole: Mapping[str, Any]) -> Stats:
    """Makes the records of the core's own."""
    return Stats(
        hooks=tuple(_hook(hook) for hook in whole["hooks"]),
        events=dict(whole["events"]),
        warnings=tuple(HookWarning(**warning) for warning in whole["warnings"]),
        _canonical=whole,
    )


def _hook(hook: Mapping[str, Any]) -> HookStats:
    fields = dict(hook)
    took, last = fields.pop("duration_us"), fields.pop("last_run")
    return HookStats(
        duration=None if took is None else Durations(**{name: micros / 1e6 for name, micros in took.items()}),
        last_run=None if last is None else datetime.fromtimestamp(last / 1000, UTC),
        **fields,
    )
