"""Events and answers in another system's words; what the words mean is the core's dialect to say.

A payload or an answer without a JSON form must not get past a guard: both are failures that keep a gate shut.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import _native
from .._outside_hooks import OutsideHookError

__all__ = ["OutsideHookError", "answer_of", "event_of", "question_of"]


def event_of(dialect: str, declared: str) -> str | None:
    """The engine's event that a system's name of an event means."""
    return _native.dialect_event(dialect, declared)


def question_of(dialect: str, declared: str, event: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The event as a hook of the system gets it; values that JSON lacks are text."""
    try:
        return _native.dialect_question(dialect, declared, event, json.dumps(payload, default=str))
    except Exception as error:
        message = f"payload_not_json: the hook cannot be given the event as JSON: {error}"
        raise OutsideHookError("not_started", message, True) from error


def answer_of(
    dialect: str, declared: str, event: str, answer: Any, payload: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The canonical answer that a hook of the system means; :class:`OutsideHookError` when it cannot be read."""
    try:
        text = "" if answer is None else json.dumps(answer, default=str)
        own = json.dumps(payload or {}, default=str)
        is_read, value = _native.dialect_answer(dialect, declared, event, own, text)
    except Exception as error:
        raise OutsideHookError("invalid_answer", f"the answer cannot be read as JSON: {error}", True) from error
    if not is_read:
        raise value
    return None if value is None else dict(value)
