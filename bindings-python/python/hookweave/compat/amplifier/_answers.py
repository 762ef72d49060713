"""Translates between Amplifier's words and the engine's; what the words mean is the core's dialect to say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from ... import _native
from ...outcome import Injection
from ...response import Level
from .._dialect import OutsideHookError, answer_of, question_of
from .models import ContextInjection, HookResult, Parts, Role, with_parts

__all__ = [
    "Fields",
    "common_role",
    "composed",
    "emitted_answer",
    "fields_of",
    "injected",
    "plain",
    "raised_answer",
    "raised_data",
]

DIALECT: Final = "amplifier"
LEVELS: Final[tuple[Level, ...]] = ("info", "warning", "error")

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What no text for a model has: control characters but tabs and ends of lines."""

Fields: TypeAlias = dict[str, Any]
"""A result's fields as plain containers."""


def plain(value: Any) -> Any:
    """The value as JSON would give it back; what JSON lacks (``Decimal``, ``datetime``, …) becomes text."""
    return json.loads(json.dumps(value, default=str))


def fields_of(result: object) -> Fields | None:
    """The fields of what a hook returned; None when it is no result."""
    if isinstance(result, HookResult):
        return {name: value for name, value in vars(result).items() if not name.startswith("_")}
    if isinstance(result, Mapping):
        return dict(result)
    dump = getattr(result, "model_dump", None)
    try:
        fields = dump() if callable(dump) else None
    except Exception as error:
        raise OutsideHookError("invalid_answer", f"the result cannot be read: {error}", True) from error
    return dict(fields) if isinstance(fields, Mapping) else None


def _read(result: object, declared: str, event: str, payload: Fields | None = None) -> Fields | None:
    """The canonical answer; raises the hook's failure when it cannot be read."""
    fields = fields_of(result)
    if fields is not None and fields.get("action") != "modify":
        # Data count with `modify` only, and then they need a form in JSON.
        fields.pop("data", None)
    elif fields is not None and fields.get("data") is not None:
        fields["data"] = _new_data(fields["data"])
    return answer_of(DIALECT, declared, event, result if fields is None else fields, payload)


def emitted_answer(result: object, declared: str, event: str) -> Fields | None:
    """The answer to an emission, whose one field ``data`` a hook replaces as a whole."""
    fields = fields_of(result)
    if fields is None:
        return _read(result, declared, event)
    own: Fields = {}
    if fields.get("action") == "modify" and fields.get("data") is not None:
        own["modified"] = {"data": _new_data(fields["data"])}
        fields["action"] = "continue"
    if fields.get("action") == "inject_context" and fields.get("context_injection") is None:
        several = [_one(injection) for injection in fields.get("context_injections") or ()]
        if several:
            own["inject"] = several
            fields["action"] = "continue"
    answer = _read(fields, declared, event)
    return {**(answer or {}), **own} or None


def _new_data(data: object) -> Any:
    """What is to stand in place of an event's data; a hook that wanted to change it has not just had a mishap."""
    try:
        if isinstance(data, Mapping):
            return plain(dict(data))
    except Exception as error:
        raise OutsideHookError("invalid_answer", f"`data` of a modify has no JSON form: {error}", True) from error
    raise OutsideHookError(
        "invalid_answer", f"`data` of a modify is a dict, not a value of type {type(data).__name__}", True
    )


def _one(injection: object) -> Fields:
    fields = injection if isinstance(injection, Mapping) else vars(injection)
    one = {name: fields[name] for name in ("content", "role", "ephemeral") if name in fields}
    if isinstance(one.get("content"), str):
        one["content"] = _CONTROL.sub("", one["content"])
    return one


def injected(part: Fields) -> list[str]:
    """The texts that a hook's result injects, as the model gets them."""
    if part.get("action") != "inject_context":
        return []
    text = part.get("context_injection")
    several = [_one(injection).get("content") for injection in part.get("context_injections") or ()]
    texts = several if text is None else [_CONTROL.sub("", text) if isinstance(text, str) else text]
    return [text for text in texts if isinstance(text, str)]


def _is_appended(injection: Injection, parts: Parts) -> bool:
    """Whether the hook that gave a text wants it behind the last tool result."""
    for hook, fields in parts:
        if hook != injection.hook:
            continue
        several = [one if isinstance(one, Mapping) else vars(one) for one in fields.get("context_injections") or ()]
        if any(one.get("append_to_last_tool_result") and one.get("content") == injection.content for one in several):
            return True
        if not several and fields.get("append_to_last_tool_result"):
            return True
    return False


def raised_data(declared: str, event: str, payload: Fields) -> Fields:
    """The data of an event that a session raised."""
    data: Fields = question_of(DIALECT, declared, event, payload)["data"]
    return data


def raised_answer(result: object, declared: str, event: str, payload: Fields) -> Fields | None:
    """The answer to an event that a session raised: changed data are changed fields of the event."""
    return _read(result, declared, event, payload)


def common_role(injections: Sequence[ContextInjection]) -> Role:
    """The role that all have, or else the system's."""
    first = injections[0].role
    return first if all(injection.role == first for injection in injections) else "system"


def composed(outcome: _native.Outcome[Any], event: str, parts: Parts) -> HookResult:
    """The answers of all hooks as one result, without loss: a coordinator acts on every part."""
    injections = [
        ContextInjection(
            content=injection.content,
            role=injection.role,
            ephemeral=injection.ephemeral,
            append_to_last_tool_result=_is_appended(injection, parts),
            hook_name=injection.hook,
            event=event,
        )
        for injection in outcome.injections
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
        result.context_injection = "\n\n".join(injection.content for injection in injections)
        result.context_injection_role = common_role(injections)
        result.ephemeral = all(injection.ephemeral for injection in injections)
        result.append_to_last_tool_result = all(injection.append_to_last_tool_result for injection in injections)
    if messages := outcome.messages:
        result.user_message = "\n".join(message.text for message in messages)
        result.user_message_level = LEVELS[max(LEVELS.index(message.level) for message in messages)]
        sources = {fields.get("user_message_source") for _, fields in parts if fields.get("user_message")}
        # One source of all messages; where they differ, each part has its own.
        result.user_message_source = sources.pop() if len(sources) == 1 else None
    return with_parts(result, parts)
