"""The base of all events."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, ClassVar, NewType

from . import _native
from ._native import Field
from .record import Record
from .response import HookResponse

__all__ = ["CLASSES", "CallEvent", "Event", "EventName"]

_native.set_classes(Record, HookResponse)

EventName = NewType("EventName", str)
"""The name of a custom event, for type checkers: what ``define_event`` gives, or ``EventName("deploy:start")``."""


class Event(_native.EventBase):
    """What a hook gets: fields as attributes or by ``[…]``, read-only, and isolated from every other hook.

    Containers are the holder's own copies, made when first touched: changing them changes nothing elsewhere. A field
    of the catalogue that the payload lacks is None. Catalogue events are classes of their own (``PreToolUseEvent``);
    custom ones are instances of this class, and ``Event("deploy:start", target=…)`` makes one.
    """

    __slots__ = ("__weakref__",)

    event_name: ClassVar[str | None] = None
    """The canonical name that instances of a catalogue class have."""

    event_type: Field[str] = Field("event_type")
    """The canonical event name."""
    session_id: Field[str] = Field("session_id")
    """The conversation; generated when the host gives none."""
    timestamp: Field[int] = Field("timestamp")
    """Milliseconds since the epoch."""
    cwd: Field[str | None] = Field("cwd")
    agent_id: Field[str | None] = Field("agent_id")
    metadata: Field[dict[str, Any]] = Field("metadata")
    shared: Field[dict[str, Any] | None] = Field("shared")
    """What earlier hooks of the same dispatch share, by key."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name = cls.__dict__.get("event_name")
        if name is not None:
            CLASSES.setdefault(name, cls)

    @staticmethod
    def from_wire(dialect: str, data: str | bytes | Mapping[str, Any]) -> Event:
        """The event that an agent of this dialect sends to its hooks, as JSON text or already parsed.

        Dispatch it as it is; :meth:`Outcome.to_wire` answers the agent. What only the dialect has stands in
        ``metadata[dialect]``. Something that is no event of the dialect is a :class:`WireEventError`,
        an integer with more digits than Python takes a :class:`PayloadError`.
        """
        import json

        from .errors import WireEventError

        try:
            text = data.decode() if isinstance(data, bytes) else data
            text = text if isinstance(text, str) else json.dumps(dict(text), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise WireEventError(f"what an agent sends is a JSON object in UTF-8: {error}") from error
        name, payload = _native.from_wire(dialect, text)
        kind = CLASSES.get(name)
        return Event(name, **payload) if kind is None else kind(**payload)

    def to_dict(self) -> dict[str, Any]:
        """The whole payload with the common fields, as plain containers that the caller owns."""
        return _native.event_dict(self)

    def to_json(self) -> str:
        """Canonical JSON text; a :class:`PayloadError` names the path of a value that has no JSON form."""
        return _native.event_json(self)

    def get(self, name: str, default: Any = None) -> Any:
        """The field, or ``default`` where the payload lacks it."""
        try:
            return self[name]
        except KeyError:
            return default

    def keys(self) -> KeysView[str]:
        """The names of the fields that are there."""
        return self.to_dict().keys()

    def values(self) -> ValuesView[Any]:
        """The fields' values."""
        return self.to_dict().values()

    def items(self) -> ItemsView[str, Any]:
        """Names and values."""
        return self.to_dict().items()

    def __getitem__(self, name: str) -> Any:
        return _native.event_item(self, name)

    def __getattr__(self, name: str) -> Any:
        # Reached for names that are no field of the class: a custom event's own fields.
        if not name.startswith("_"):
            try:
                return _native.event_item(self, name)
            except KeyError:
                pass
        raise AttributeError(f"{type(self).__name__} has no field {name!r}", name=name, obj=self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name, self) is not self

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Event):
            return self.to_dict() == other.to_dict()
        return self.to_dict() == other if isinstance(other, Mapping) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.to_dict().items() if name != "event_type")
        named = "" if self.event_name else f"{self.event_type!r}{', ' if fields else ''}"
        return f"{type(self).__name__}({named}{fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.to_dict()))


class CallEvent(Event):
    """An event about a tool call. What the engine reads of the call are no fields: its dict does not have them."""

    __slots__ = ()

    @property
    def command(self) -> str:
        """The command line as ``command_pattern`` looks at it, empty without one.

        Of several each begins a line. Any argument counts that the engine knows to hold one. What cannot be read is a
        :class:`PayloadError`.
        """
        return _native.event_command(self)

    @property
    def paths(self) -> list[str]:
        """The paths in the arguments, as written, which ``path_pattern`` looks at; not those of a command line.

        What cannot be read is a :class:`PayloadError`.
        """
        return _native.event_paths(self)


def _rebuild(kind: type[Event], fields: dict[str, Any]) -> Event:
    """Makes an event from its dict; pickle's way back."""
    name = fields.pop("event_type")
    return kind(**fields) if kind.event_name else kind(name, **fields)


CLASSES: dict[str, type[Event]] = {}
"""The classes of the catalogue by canonical event name; the first one that claims a name has it."""
