"""The options of a hook, and its matcher, as type checkers and editors see them; at run time they are plain dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypeAlias, TypedDict

__all__ = ["ArgCondition", "Duration", "FailBehavior", "HookOptions", "Matcher", "Scope"]

FailBehavior: TypeAlias = Literal["continue", "block"]
"""What a failure means: the action goes on, or is blocked."""
Scope: TypeAlias = Literal["managed", "user", "project", "local", "agent", "callback"]
"""Who registered a hook; earlier scopes run first among equal priorities."""
Duration: TypeAlias = float | timedelta
"""Seconds, or a timedelta."""


class RegexCondition(TypedDict):
    """Holds for an argument in which a regular expression is found."""

    regex: str


class EqualsCondition(TypedDict):
    """Holds for an argument that equals a value, compared as JSON."""

    equals: Any


ArgCondition: TypeAlias = str | RegexCondition | EqualsCondition
"""What an argument must be: a glob, ``{"regex": …}`` or ``{"equals": …}``."""


class Matcher(TypedDict, total=False):
    """Which events a hook is for: every condition given must hold."""

    tool: str | None
    """Names or globs of tools, split on ``|``."""
    tool_pattern: str | None
    """A regular expression over the tool's name."""
    path_pattern: str | None
    """A glob over the paths of the event's files."""
    command_pattern: str | None
    """A regular expression over ``event.command``."""
    args: Mapping[str, ArgCondition] | None
    """What arguments must be, by dotted path."""
    source: str | None
    """Names or globs over the event's subtype, such as the ``source`` of ``SessionStart``."""
    source_pattern: str | None
    """A regular expression over the event's subtype."""
    session: str | None
    """Globs over the session's id."""
    agent: str | None
    """Globs over the subagent's id."""
    rule: str | Sequence[str] | None
    """A permission rule such as ``Bash(git *)`` or ``Edit(src/**)``, or several of which one must hold."""
    when: str | None
    """An expression over the event and the session."""


class HookOptions(TypedDict, total=False):
    """How a hook is registered."""

    matcher: Matcher | None
    """Which events it is for; without one, all."""
    name: str | None
    """What traces and reasons call it; the handler's name unless given."""
    priority: int
    """Lower runs earlier; 0 unless given."""
    scope: Scope
    """Who registers it; ``callback`` unless given."""
    timeout: Duration | None
    """Seconds, or a timedelta; None for no limit."""
    fail_behavior: FailBehavior | None
    """Whether its failure blocks."""
    enforcement: Literal["enforce", "observe"] | None
    """Whether what it decides is acted on, or recorded only."""
    once: bool
    """It runs once and is then removed."""
    mandatory: bool | None
    """No skip passes over it, and it checks again what later hooks change."""
    detached: bool
    """It is started and not awaited."""
    async_: bool
    """The same as ``detached``."""
    enabled: bool
    """Whether it runs for now."""
    run_in_thread: bool
    """It blocks, and runs on a thread."""
