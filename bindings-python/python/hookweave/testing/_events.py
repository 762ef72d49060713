"""Events with everything filled in that a test does not care about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from .. import _native, events
from .._native import Outcome
from ..client import CLOSE_SECONDS, HookClient
from ..event import Event, EventName

__all__ = ["dispatch", "dispatch_sync", "event", "prompt_event", "tool_event", "tool_result_event"]

COMMON: Final[Mapping[str, Any]] = {"session_id": "test-session", "timestamp": 0}
"""What every event of a test has."""

FIELDS: Final[Mapping[str, Any]] = {
    "tool": "Bash",
    "tool_use_id": "test-call",
    "agent_id": "test-agent",
    "agent_type": "general",
    "model": "test-model",
    "trigger": "manual",
    "reason": "other",
    "source": "startup",
    "result": {"success": True, "output": "", "duration": 0},
    "response": {"text": "", "tool_calls": [], "usage": None, "duration": 0},
}
"""What required fields hold unless a test says otherwise."""

KINDS: Final[Mapping[str, Any]] = {"string": "", "number": 0, "boolean": False, "list": [], "object": {}, "record": {}}
"""What all others hold, by what they have to be."""


def event(name: str, /, **fields: Any) -> Event:
    """An event of the catalogue by its name or alias; required fields that are not given get harmless values."""
    known, _ = _native.known_events()
    for entry in known:
        if name == entry["name"] or name in entry["aliases"]:
            needed = {field["name"]: field["type"] for field in entry["fields"] if not field["optional"]}
            filled = {field: _copied(FIELDS.get(field, KINDS.get(kind, ""))) for field, kind in needed.items()}
            made: Event = getattr(events, f"{entry['name']}Event")(**{**COMMON, **filled, **fields})
            return made
    raise LookupError(f"no event of the catalogue is called `{name}`; give `dispatch` the name of a custom one")


def _copied(value: Any) -> Any:
    """A value of the tables above that a hook may change without another test noticing."""
    return {name: _copied(part) for name, part in value.items()} if isinstance(value, dict) else value


def tool_event(tool: str, args: Mapping[str, Any] | None = None, /, **more: Any) -> events.PreToolUseEvent:
    """A tool is about to run: ``tool_event("Bash", command="ls")``."""
    return events.PreToolUseEvent(tool=tool, args={**(args or {}), **more}, tool_use_id="test-call", **COMMON)


def tool_result_event(
    tool: str, args: Mapping[str, Any] | None = None, /, *, output: Any = "", **result: Any
) -> events.PostToolUseEvent:
    """A tool has run: ``tool_result_event("Bash", {"command": "ls"}, output="a.txt", exit_code=0)``."""
    whole = {"success": True, "output": output, "duration": 0, **result}
    return events.PostToolUseEvent(tool=tool, args=dict(args or {}), result=whole, tool_use_id="test-call", **COMMON)


def prompt_event(prompt: str) -> events.UserPromptSubmitEvent:
    """A prompt came in."""
    return events.UserPromptSubmitEvent(prompt=prompt, **COMMON)


async def dispatch(client: HookClient, event_: Event | str, /, **fields: Any) -> Outcome[Any]:
    """Dispatches an event, or one by its name with what it lacks filled in."""
    outcome: Outcome[Any] = await _begin(client, event_, fields)
    return outcome


def dispatch_sync(client: HookClient, event_: Event | str, /, **fields: Any) -> Outcome[Any]:
    """The same where no event loop runs, for sync and async hooks alike; hooks in the background come to their end."""
    if asyncio._get_running_loop() is not None:
        raise RuntimeError("an event loop runs here: use `await dispatch(…)`")
    return asyncio.run(_to_the_end(client, event_, fields))


async def _to_the_end(client: HookClient, event_: Event | str, fields: Mapping[str, Any]) -> Outcome[Any]:
    outcome: Outcome[Any] = await _begin(client, event_, fields)
    await client.drain(CLOSE_SECONDS)
    return outcome


def _begin(client: HookClient, event_: Event | str, fields: Mapping[str, Any]) -> Any:
    if isinstance(event_, Event):
        if fields:
            raise TypeError("an event has its fields already; give its name to have them filled in")
        return client.dispatch(event_)
    known, _ = _native.known_events()
    if any(event_ == entry["name"] or event_ in entry["aliases"] for entry in known):
        return client.dispatch(event(event_, **fields))
    return client.dispatch(EventName(event_), {**COMMON, **fields})
