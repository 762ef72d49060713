"""The parts of an outcome, as plain immutable records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._registration import place_of
from .errors import FailureKind, HookFailedError, failure_of
from .files import Origin, Scope, origin_of
from .response import Action, Level, Role

__all__ = [
    "ExplainedHook",
    "Explanation",
    "Failure",
    "HookInfo",
    "Injection",
    "LateAnswer",
    "Message",
    "Observed",
    "Overridden",
    "Question",
    "TraceEntry",
    "Unmatched",
    "Vote",
]

Enforcement: TypeAlias = Literal["enforce", "observe"]

Status: TypeAlias = Literal["ran", "failed", "skipped", "rechecked", "detached"]


@dataclass(frozen=True, slots=True)
class Vote:
    """One answer that was not ``continue``; a void ``allow`` no longer covers the final event."""

    hook: str
    action: Action
    reason: str | None = None
    void: bool = False


@dataclass(frozen=True, slots=True)
class Injection:
    """A text for the model; an ephemeral one is for the next model call only."""

    hook: str
    content: str
    role: Role = "system"
    ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """The answer of a detached hook, which came after its dispatch; it decides nothing."""

    hook: str
    event: str
    answer: Mapping[str, Any]
    """Its canonical form: texts for the model, a message, a reason."""
    wakes: bool
    """The hook wants the model to get it at once."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text for the user; ``hook`` is None for one that the engine made."""

    hook: str | None
    text: str
    level: Level = "info"


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a hook wants a person to decide; ``timeout`` in seconds."""

    hook: str
    prompt: str | None
    options: tuple[str, ...] = ()
    timeout: float | None = None
    default: Literal["allow", "deny"] = "deny"
    remember: Literal["tool", "prompt"] | None = None
    grants: tuple[str, ...] = ()
    """Those of the options that allow, beside "Allow once" and "Allow always"."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a hook that observes would have done, had it been enforced."""

    hook: str
    action: Action
    """What it decided, or what its failure rule would have made of its failure."""
    reason: str | None = None
    modified: tuple[str, ...] = ()
    """The payload fields that it would have changed."""
    injections: tuple[Injection, ...] = ()
    messages: tuple[Message, ...] = ()
    ask: Question | None = None


@dataclass(frozen=True, slots=True)
class Overridden:
    """A field that this hook changed although an earlier one had changed it."""

    field: str
    hook: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a hook failed and what its failure rule made of it; ``error.__cause__`` is what the handler raised."""

    kind: FailureKind
    message: str
    became: Literal["continue", "block"]
    error: HookFailedError


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """What became of one selected hook; ``duration`` in seconds."""

    hook: str
    id: str
    status: Status
    duration: float = 0.0
    action: Action = "continue"
    reason: str | None = None
    observed: Observed | None = None
    """What it would have done, if it observes; everything else in the entry is what had an effect."""
    modified: tuple[str, ...] = ()
    void: bool = False
    overrode: tuple[Overridden, ...] = ()
    not_idempotent: bool = False
    """In a recheck it changed its own result again."""
    failure: Failure | None = None
    overran: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A hook of the event that was not selected, and the condition that kept it out."""

    hook: str
    id: str
    why: str


@dataclass(frozen=True, slots=True)
class HookInfo:
    """A registered hook; ``timeout`` in seconds, None for none; ``order`` is its place among the hooks of its event."""

    id: str
    name: str
    event: str
    matcher: Mapping[str, Any]
    priority: int
    scope: str
    timeout: float | None
    fail_behavior: Literal["continue", "block"]
    once: bool
    mandatory: bool
    detached: bool
    enabled: bool
    temporary: bool
    order: int
    origin: Origin | None = None
    """Which file declares it; None for a hook that a program registered."""
    enforcement: Enforcement = "enforce"
    """Whether what it decides is acted on."""
    worker: str | None = None
    """The worker that has its handler, in another process."""


@dataclass(frozen=True, slots=True)
class ExplainedHook:
    """One hook, and whether an event would run it."""

    hook: str
    id: str
    matched: bool
    covers: bool
    priority: int
    scope: str
    mandatory: bool
    detached: bool
    stage: int | None = None
    """The stage in which it would run, from 0."""
    why: str | None = None
    """Why it would not run."""
    enforcement: Enforcement = "enforce"
    """Whether what it decides would be acted on."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a dispatch would do if every hook continued."""

    event: str
    """The event's canonical name."""
    gate: bool
    """Whether a block would stop the action."""
    hooks: tuple[ExplainedHook, ...]
    """Every hook of the event, in order."""
    _text: str = field(default="", repr=False, compare=False)

    def describe(self) -> str:
        """As text for a person: which hooks would run, in order, and why not the others."""
        return self._text

    def __str__(self) -> str:
        return self.describe()


Parts: TypeAlias = Sequence[Mapping[str, Any]]
"""Records of the core as it serialises them; the functions below make the classes above of them."""


def votes(parts: Parts) -> list[Vote]:
    """What hooks decided."""
    return [Vote(**part) for part in parts]


def injections(parts: Parts) -> list[Injection]:
    """Context for the model."""
    return [Injection(**part) for part in parts]


def messages(parts: Parts) -> list[Message]:
    """What the user should see."""
    return [Message(**part) for part in parts]


def questions(parts: Parts) -> list[Question]:
    """What a person should decide; milliseconds become seconds."""
    return [_question(part["hook"], part) for part in parts]


def observed(parts: Parts) -> list[Observed]:
    """What hooks that observe would have done."""
    return [_observed(part["hook"], part) for part in parts]


def _question(hook: str, part: Mapping[str, Any]) -> Question:
    return Question(
        hook=hook,
        prompt=part["prompt"],
        options=tuple(part["options"]),
        grants=tuple(part.get("grants", ())),
        timeout=part["timeout_ms"] / 1000,
        default=part["default"],
        remember=part.get("remember"),
    )


def _observed(hook: str, part: Mapping[str, Any]) -> Observed:
    ask = part.get("ask")
    return Observed(
        hook=hook,
        action=part["action"],
        reason=part.get("reason"),
        modified=tuple(part.get("modified", ())),
        injections=tuple(Injection(hook=hook, **given) for given in part.get("injections", ())),
        messages=tuple(Message(hook=hook, **given) for given in part.get("messages", ())),
        ask=None if ask is None else _question(hook, ask),
    )


def unmatched(parts: Parts) -> list[Unmatched]:
    """Hooks that were not selected."""
    return [Unmatched(**part) for part in parts]


def hook_infos(parts: Parts, function_of: Callable[[str], object]) -> list[HookInfo]:
    """Registered hooks, with the places of their functions; milliseconds become seconds."""
    infos = []
    for part in parts:
        fields = dict(part)
        limit = fields.pop("timeout_ms")
        origin = origin_of(fields.pop("origin", None)) or _origin_of_function(
            function_of(fields["id"]), fields["scope"]
        )
        infos.append(HookInfo(timeout=None if limit is None else limit / 1000, origin=origin, **fields))
    return infos


def _origin_of_function(function: object, scope: Scope) -> Origin | None:
    found = None if function is None else place_of(function)
    if found is None:
        return None
    file, line, place, runs = found
    return Origin(Path(file), place, line, scope, "hookweave", runs)


def explanation(part: Mapping[str, Any], text: str) -> Explanation:
    """Which hooks an event would run, and the same as text."""
    hooks = tuple(ExplainedHook(**hook) for hook in part["hooks"])
    return Explanation(event=part["event"], gate=part["gate"], hooks=hooks, _text=text)


def trace(parts: Parts, causes: Sequence[object]) -> list[TraceEntry]:
    """What became of each hook; microseconds become seconds, and a failure gets its exception."""
    return [_entry(part, cause) for part, cause in zip(parts, causes, strict=True)]


def _entry(part: Mapping[str, Any], cause: object) -> TraceEntry:
    failure = None
    if part.get("failure"):
        failed = part["failure"]
        error = failure_of(failed["kind"], failed["message"], part["hook"], cause)
        failure = Failure(failed["kind"], failed["message"], failed["became"], error)
    would = part.get("observed")
    return TraceEntry(
        hook=part["hook"],
        id=part["id"],
        status=part["status"],
        duration=part["duration_us"] / 1e6,
        action=part["action"],
        reason=part.get("reason"),
        observed=None if would is None else _observed(part["hook"], would),
        modified=tuple(part.get("modified", ())),
        void=part.get("void", False),
        overrode=tuple(Overridden(**overridden) for overridden in part.get("overrode", ())),
        not_idempotent=part.get("not_idempotent", False),
        failure=failure,
        overran=part.get("overran", False),
        why=part.get("why"),
    )
