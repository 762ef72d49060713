"""Translates between Amplifier's words and the engine's; what the words mean is the core's dialect to say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from ... import _native
from ...response import Level
from .models import ContextInjection, HookResult, Parts, Role, with_parts

__all__ = ["Fields", "common_role", "composed", "emitted_answer", "fields_of", "plain", "raised_answer", "raised_data"]

DIALECT: Final = "amplifier"
LEVELS: Final[tuple[Level, ...]] = ("info", "warning", "error")

Fields: TypeAlias = dict[str, Any]
"""A result's fields as plain containers."""


def plain(value: Any) -> Any:
    """The value as JSON would give it back; what JSON lacks (``Decimal``, ``datetime``, …) becomes text."""
    return json.loads(json.dumps(value, default=str))


def fields_of(said: object) -> Fields | None:
    """The fields of what a hook returned; None when it is no result."""
    if isinstance(said, HookResult):
        return said.model_dump()
    if isinstance(said, Mapping):
        return dict(said)
    dump = getattr(said, "model_dump", None)
    fields = dump() if callable(dump) else None
    return dict(fields) if isinstance(fields, Mapping) else None


def _text(said: object) -> str:
    if said is None:
        return ""
    fields = fields_of(said)
    return json.dumps(said if fields is None else fields, default=str)


def _read(said: object, declared: str, event: str, payload: str = "{}") -> Fields | None:
    """The canonical answer; raises the hook's failure when it cannot be read."""
    is_read, answer = _native.dialect_answer(DIALECT, declared, event, payload, _text(said))
    if not is_read:
        raise answer
    return None if answer is None else dict(answer)


def emitted_answer(said: object, declared: str, event: str) -> Fields | None:
    """The answer to an emission, whose one field ``data`` a hook replaces as a whole."""
    fields = fields_of(said)
    if fields is None:
        return _read(said, declared, event)
    own: Fields = {}
    if fields.get("action") == "modify" and fields.get("data") is not None:
        if not isinstance(fields["data"], Mapping):
            raise TypeError(f"`data` of a modify is a dict, not a value of type {type(fields['data']).__name__}")
        own["modified"] = {"data": plain(fields["data"])}
        fields["action"] = "continue"
    if fields.get("action") == "inject_context" and fields.get("context_injection") is None:
        several = [_one(injection) for injection in fields.get("context_injections") or ()]
        if several:
            own["inject"] = several
            fields["action"] = "continue"
    answer = _read(fields, declared, event)
    return {**(answer or {}), **own} or None


def _one(injection: Mapping[str, Any]) -> Fields:
    return {name: injection[name] for name in ("content", "role", "ephemeral") if name in injection}


def raised_data(declared: str, event: str, payload: Fields) -> Fields:
    """The data of an event that a session raised."""
    question = _native.dialect_question(DIALECT, declared, event, json.dumps(payload, default=str))
    data: Fields = question["data"]
    return data


def raised_answer(said: object, declared: str, event: str, payload: Fields) -> Fields | None:
    """The answer to an event that a session raised: changed data are changed fields of the event."""
    return _read(said, declared, event, json.dumps(payload, default=str))


def common_role(injections: Sequence[ContextInjection]) -> Role:
    """The role that all have, or else the system's."""
    first = injections[0].role
    return first if all(one.role == first for one in injections) else "system"


def composed(outcome: _native.Outcome[Any], event: str, parts: Parts) -> HookResult:
    """What all hooks said as one result, of which nothing is lost: a coordinator acts on every part."""
    injections = [
        ContextInjection(content=one.content, role=one.role, ephemeral=one.ephemeral, hook_name=one.hook, event=event)
        for one in outcome.injections
    ]
    result = HookResult(
        action="inject_context" if injections else "continue",
        data=outcome.event["data"],
        reason=outcome.reason,
        suppress_output=outcome.suppress_output,
        context_injections=injections,
    )
    if outcome.decision in ("block", "stop"):
        result.action, result.data = "deny", None
    elif outcome.decision == "ask":
        result.action = "ask_user"
        asked = next((fields for _, fields in parts if fields.get("action") == "ask_user"), {})
        for name in ("approval_prompt", "approval_options", "approval_timeout", "approval_default"):
            if name in asked:
                setattr(result, name, asked[name])
    if injections:
        result.context_injection = "\n\n".join(one.content for one in injections)
        result.context_injection_role = common_role(injections)
        result.ephemeral = all(one.ephemeral for one in injections)
    if messages := outcome.messages:
        result.user_message = "\n".join(one.text for one in messages)
        result.user_message_level = LEVELS[max(LEVELS.index(one.level) for one in messages)]
    return with_parts(result, parts)
