"""Asserts about what hooks made of an event; their messages show the whole decision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from ..errors import FailureKind
from ..outcome import Failure, TraceEntry
from ..session_results import Generation, ToolOutcome
from . import _client
from ._judged import Judged, by, describe, is_blocked, outcomes

__all__ = [
    "assert_allowed",
    "assert_asked",
    "assert_blocked",
    "assert_continues",
    "assert_failed",
    "assert_injected",
    "assert_message",
    "assert_modified",
    "assert_not_selected",
    "assert_objected",
    "assert_ran",
]

Text: TypeAlias = str | re.Pattern[str]
"""Part of a text, or a pattern that is found in it."""


def assert_blocked(outcome: Judged, *, reason: Text | None = None, by: str | None = None) -> None:
    """What the agent was about to do must not happen; ``reason`` is part of why, ``by`` is who decided."""
    __tracebackhide__ = True
    if not is_blocked(outcome):
        _fail(f"expected to be blocked, but the decision is `{_decision(outcome)}`", outcome)
    _decided(outcome, reason, by)


def assert_allowed(outcome: Judged, *, reason: Text | None = None, by: str | None = None) -> None:
    """A hook, or a person, has allowed it: no objection is :func:`assert_continues`."""
    __tracebackhide__ = True
    decision = _decision(outcome)
    asked = isinstance(outcome, ToolOutcome) and outcome.ran and decision == "ask"
    if decision != "allow" and not asked:
        _fail(f"expected to be allowed, but the decision is `{decision}`", outcome)
    _decided(outcome, reason, by)


def assert_continues(outcome: Judged) -> None:
    """The agent continues: no hook blocks it, asks a person or wants a retry."""
    __tracebackhide__ = True
    if isinstance(outcome, ToolOutcome):
        continues = outcome.ran
    elif isinstance(outcome, Generation):
        continues = outcome.status == "done"
    else:
        continues = _decision(outcome) in ("continue", "allow", "skip")
    if not continues:
        _fail(f"expected to continue, but the decision is `{_decision(outcome)}`", outcome)


def assert_asked(outcome: Judged, *, prompt: Text | None = None, by: str | None = None) -> None:
    """A person is to be asked, or was."""
    __tracebackhide__ = True
    asked = [single for single in outcomes(outcome) if single.decision == "ask"]
    if not asked:
        _fail("expected that a person is asked, but none is", outcome)
    questions = [(ask.prompt or single.reason, ask.hook) for single in asked for ask in single.asks]
    _some("a question", questions, prompt, by, outcome)


def assert_objected(outcome: Judged, *, reason: Text | None = None) -> None:
    """A hook objects to what has happened already and cannot be blocked any more."""
    __tracebackhide__ = True
    feedback = [(text, None) for single in outcomes(outcome) for text in single.feedback]
    _some("an objection", feedback, reason, None, outcome)


def assert_modified(outcome: Judged, **fields: Any) -> None:
    """Hooks changed these fields to these values; of a mapping, its given parts are looked at. None: any field."""
    __tracebackhide__ = True
    changed = {name: single for single in outcomes(outcome) for name in single.modified}
    if not changed and not fields:
        _fail("expected that a hook changes the event, but none does", outcome)
    wrong = []
    for name, expected in fields.items():
        if name not in changed:
            wrong.append(f"{name}: expected {expected!r}, but no hook changed it")
        else:
            wrong += _differences(name, expected, changed[name].to_dict()["event"].get(name))
    if wrong:
        _fail("the event was not changed as expected:\n  " + "\n  ".join(wrong), outcome)


def assert_injected(
    outcome: Judged, text: Text | None = None, *, by: str | None = None, role: str | None = None
) -> None:
    """A hook injects this for the model."""
    __tracebackhide__ = True
    given = [part for single in outcomes(outcome) for part in single.injections if role in (None, part.role)]
    kind = "context" if role is None else f"context as {role}"
    _some(kind, [(part.content, part.hook) for part in given], text, by, outcome)


def assert_message(
    outcome: Judged, text: Text | None = None, *, by: str | None = None, level: str | None = None
) -> None:
    """A hook shows the user this."""
    __tracebackhide__ = True
    given = [part for single in outcomes(outcome) for part in single.messages if level in (None, part.level)]
    kind = "a message" if level is None else f"a message of level {level}"
    _some(kind, [(part.text, part.hook) for part in given], text, by, outcome)


def assert_ran(outcome: Judged, hooks: Iterable[str]) -> None:
    """Just these hooks ran, in this order; those that failed or were not awaited count too."""
    __tracebackhide__ = True
    expected = [hooks] if isinstance(hooks, str) else list(hooks)
    came = [entry.hook for entry in _trace(outcome) if entry.status in ("ran", "failed", "detached")]
    if came != expected:
        _fail(f"other hooks ran than expected:\n  expected {expected}\n  ran      {came}", outcome)


def assert_not_selected(outcome: Judged, hook: str, *, why: Text | None = None) -> None:
    """The event is not for this hook; ``why`` is part of the condition that keeps it out."""
    __tracebackhide__ = True
    if hook in [entry.hook for entry in _trace(outcome)]:
        _fail(f"expected that `{hook}` is not selected, but it was", outcome)
    others = [(other.why, other.hook) for single in outcomes(outcome) for other in single.unmatched]
    if hook not in [other for _, other in others]:
        _fail(f"expected that `{hook}` is not selected, but no hook of the event is called so", outcome)
    _some("a condition", others, why, hook, outcome)


def assert_failed(
    outcome: Judged, hook: str | None = None, kind: FailureKind | None = None, *, message: Text | None = None
) -> Failure:
    """A hook failed; gives how. The failure then counts as expected by the fixture ``hook_client``."""
    __tracebackhide__ = True
    failures = [
        (single, entry, entry.failure)
        for single in outcomes(outcome)
        for entry in single.trace
        if entry.failure is not None and hook in (None, entry.hook)
    ]
    if not failures:
        _fail(f"expected that {f'`{hook}`' if hook else 'a hook'} fails, but it did not", outcome)
    fitting = [found for found in failures if kind in (None, found[2].kind) and _fits(found[2].message, message)]
    if not fitting:
        came = "; ".join(f"`{entry.hook}` {failure.kind}: {failure.message}" for _, entry, failure in failures)
        wanted = f" of kind `{kind}`" if kind else ""
        _fail(f"expected a failure{wanted}{_with(message)}, but what failed is {came}", outcome)
    failed, entry, failure = fitting[0]
    _client.expect_failure(failed, entry)
    return failure


def _fail(what: str, outcome: Judged) -> NoReturn:
    __tracebackhide__ = True
    raise AssertionError(f"{what}\n\n{describe(outcome)}")


def _decision(outcome: Judged) -> str:
    outcomes(outcome)  # Says what is wrong with anything else.
    return outcome.status if isinstance(outcome, Generation) else outcome.decision


def _trace(outcome: Judged) -> list[TraceEntry]:
    return [entry for single in outcomes(outcome) for entry in single.trace]


def _decided(outcome: Judged, reason: Text | None, decider: str | None) -> None:
    __tracebackhide__ = True
    came = by(outcome)
    if decider is not None and came != decider:
        _fail(f"expected that `{decider}` decides, but it was {f'`{came}`' if came else 'none'}", outcome)
    if not _fits(outcome.reason, reason):
        _fail(f"expected a reason{_with(reason)}, but it is {outcome.reason!r}", outcome)


def _some(
    kind: str, given: Sequence[tuple[str | None, str | None]], text: Text | None, hook: str | None, outcome: Judged
) -> None:
    """Some of the given texts has to fit."""
    __tracebackhide__ = True
    if not any(_fits(came, text) and hook in (None, source) for came, source in given):
        source = f" of `{hook}`" if hook else ""
        came = ", ".join(f"{came!r}{f' of `{source}`' if source else ''}" for came, source in given) or "none"
        _fail(f"expected {kind}{source}{_with(text)}; there is {came}", outcome)


def _fits(came: str | None, text: Text | None) -> bool:
    if text is None:
        return True
    if came is None:
        return False
    return text in came if isinstance(text, str) else text.search(came) is not None


def _with(text: Text | None) -> str:
    if text is None:
        return ""
    return f" with {text!r}" if isinstance(text, str) else f" that fits /{text.pattern}/"


def _differences(path: str, expected: Any, came: Any) -> list[str]:
    """What of the expected value is otherwise."""
    if isinstance(expected, Mapping) and isinstance(came, Mapping):
        found = []
        for name, part in expected.items():
            if name not in came:
                found.append(f"{path}.{name}: expected {part!r}, but it is not there")
            else:
                found += _differences(f"{path}.{name}", part, came[name])
        return found
    return [] if expected == came else [f"{path}: expected {expected!r}, came {came!r}"]
