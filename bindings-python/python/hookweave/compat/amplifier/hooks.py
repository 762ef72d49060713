"""Amplifier's hook registry, on hookweave's engine."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from ... import _async_compat, _native
from ...client import HookClient
from ...event import Event, EventName
from .._dialect import event_of
from ._answers import DIALECT, Fields, composed, emitted_answer, fields_of, plain, raised_answer, raised_data
from ._event_names import EventNames
from .models import ContextInjection, HookResult

__all__ = ["ContextInjection", "Handler", "HookRegistry", "HookResult"]

Handler: TypeAlias = Callable[[str, dict[str, Any]], Any]
"""A hook: called with the event's name and its data, sync or async; gives a :class:`HookResult`, or nothing."""

NAMESPACE: Final = "amplifier:"
"""Before the names of emissions: their data are free, where the engine's own events have fields."""
COLLECT_SECONDS: Final = 1.0
"""How long each hook has when its data are collected."""


@dataclass(slots=True)
class _Emission:
    """What comes of one emission, beside the engine's outcome."""

    parts: list[tuple[str, Fields]] = field(default_factory=list)
    collected: list[Any] | None = None
    limit: float = COLLECT_SECONDS


_EMISSION: ContextVar[_Emission | None] = ContextVar("hookweave_amplifier_emission", default=None)


@dataclass(frozen=True, slots=True)
class _Registered:
    event: str
    name: str
    ids: tuple[str, ...]
    """The hook on emissions, and the one on the engine's event if there is such an event."""


class HookRegistry(EventNames):
    """Hooks by event. The hooks of an event run one after the other, those with a lower priority first.

    The hooks stand in a :class:`~hookweave.HookClient`, by default in one of their own with the profile ``amplifier``.
    There they run twice over: when :meth:`emit` is called, with the data as emitted, and when a session of that client
    raises the same event (``tool:pre`` is ``PreToolUse``), with the event's fields under Amplifier's names. So a hook
    takes two places where a client limits how many there may be.
    """

    def __init__(self, client: HookClient | None = None) -> None:
        self._client = HookClient(profile="amplifier") if client is None else client
        self._registered: dict[str, _Registered] = {}
        self._defaults: dict[str, Any] = {}

    @property
    def client(self) -> HookClient:
        """The client that runs the hooks."""
        return self._client

    def register(self, event: str, handler: Handler, priority: int = 0, name: str | None = None) -> Callable[[], None]:
        """Adds a hook; what is returned takes it, and no other of the same name, out again."""
        if not callable(handler):
            raise TypeError(f"a hook is called with the event's name and data; {handler!r} is not callable")
        name = name or str(getattr(handler, "__name__", type(handler).__name__))
        emission = _emission_name(event)
        self._client.define_event(emission, gate=True, modifiable=["data"])
        options: dict[str, Any] = {"priority": priority, "name": name}
        add: Callable[..., str] = self._client.register_hook
        ids = [add(emission, functools.partial(self._emitted, handler, event, name), **options)]
        if canonical := event_of(DIALECT, event):
            try:
                ids.append(add(canonical, functools.partial(self._raised, handler, event), **options))
            except BaseException:
                # A limit of the client: half a hook is none.
                self._client.unregister_hook(ids[0])
                raise
        self._registered[ids[0]] = _Registered(event, name, tuple(ids))
        return functools.partial(self._remove, ids[0])

    def on(self, event: str, handler: Handler, priority: int = 0, name: str | None = None) -> Callable[[], None]:
        """The same as :meth:`register`."""
        return self.register(event, handler, priority, name)

    def unregister(self, name: str) -> None:
        """Takes out the hook of this name that was registered last; there need not be one."""
        for id, registered in reversed(self._registered.items()):
            if registered.name == name:
                return self._remove(id)
        return None

    def _remove(self, id: str) -> None:
        registered = self._registered.pop(id, None)
        for hook in () if registered is None else registered.ids:
            self._client.unregister_hook(hook)

    def list_handlers(self, event: str | None = None) -> dict[str, list[str]]:
        """The names of the hooks of one event or of all, in the order in which they run."""
        names: dict[str, list[str]] = {} if event is None else {event: []}
        for hook in sorted(self._client.list_hooks(), key=lambda hook: hook.order):
            registered = self._registered.get(hook.id)
            if registered is not None and event in (None, registered.event):
                names.setdefault(registered.event, []).append(registered.name)
        return names

    def set_default_fields(self, **fields: Any) -> None:
        """Sets what all data hold that do not say otherwise, in place of what was set before."""
        self._defaults = fields

    async def emit(self, event: str, data: Mapping[str, Any] | object | None = None) -> HookResult:
        """Runs the hooks of an event, one after the other, each with the data as the one before has left them.

        ``data`` is a mapping or a pydantic model. Every emission with hooks is stamped with the time. A hook that fails
        is logged and passed over; a result that cannot be read denies. ``deny`` ends it; beside that, all that hooks
        say is kept: the action is the strongest of ``deny``, ``ask_user``, ``inject_context`` and ``continue``, and the
        data are as hooks have left them (None when denied).
        """
        fields = plain({**self._defaults, **_mapping(data)})
        if not self._has(event):
            return HookResult(data=fields)
        fields["timestamp"] = datetime.now(UTC).isoformat()
        emission = _Emission()
        outcome = await self._dispatch(event, fields, emission)
        return composed(outcome, event, tuple(emission.parts))

    async def emit_and_collect(
        self, event: str, data: Mapping[str, Any] | None = None, timeout: float | None = COLLECT_SECONDS
    ) -> list[Any]:
        """Runs all hooks of an event with the same data and gives the ``data`` of their results.

        Each has ``timeout`` seconds; who takes longer or fails is logged and left out.
        """
        collected: list[Any] = []
        limit = COLLECT_SECONDS if timeout is None else timeout
        if self._has(event):
            await self._dispatch(event, plain(dict(_mapping(data))), _Emission(collected=collected, limit=limit))
        return collected

    def _has(self, event: str) -> bool:
        return any(registered.event == event for registered in self._registered.values())

    async def _dispatch(self, event: str, fields: Fields, emission: _Emission) -> _native.Outcome[Any]:
        payload: Fields = {"data": fields}
        if isinstance(fields.get("session_id"), str):
            payload["session_id"] = fields["session_id"]
        before = _EMISSION.set(emission)
        try:
            return await self._client.dispatch(_emission_name(event), payload)
        finally:
            _EMISSION.reset(before)

    async def _emitted(self, handler: Handler, event: str, name: str, emitted: Event) -> Fields | None:
        """A hook's part in an emission."""
        emission = _EMISSION.get()
        if emission is None or emission.collected is None:
            result = await _call(handler, event, emitted["data"])
            answer = emitted_answer(result, event, emitted.event_type)
            if emission is not None and (fields := fields_of(result)) is not None:
                emission.parts.append((name, fields))
            return answer
        in_time, result = await _async_compat.within(emission.limit, _call(handler, event, emitted["data"]))
        if not in_time:
            raise TimeoutError(f"it did not end within {emission.limit} s")
        if (collected := (fields_of(result) or {}).get("data")) is not None:
            emission.collected.append(plain(collected))
        return None

    async def _raised(self, handler: Handler, event: str, raised: Event) -> Fields | None:
        """A hook's part in an event that a session or the host raises."""
        payload = raised.to_dict()
        data = {**plain(self._defaults), **raised_data(event, raised.event_type, payload)}
        return raised_answer(await _call(handler, event, data), event, raised.event_type, payload)


def _mapping(data: Any) -> Mapping[str, Any]:
    """The data of an emission: a mapping, or a pydantic model's fields."""
    dump = getattr(data, "model_dump", None)
    given = dump() if callable(dump) else data
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"an event's data are a mapping or a model, not a value of type {type(data).__name__}")
    return given


async def _call(handler: Handler, event: str, data: Fields) -> Any:
    result = handler(event, data)
    return await result if inspect.isawaitable(result) else result


def _emission_name(event: str) -> EventName:
    """The engine's name of an emission: that of the event, which may be any text."""
    if not event:
        raise ValueError("an event has a name")
    return EventName(NAMESPACE + quote(event, safe=":._-/"))
