"""Writes the files that follow from the engine's catalogue: event classes and the overloads of the client.

Run it after the catalogue changed: ``python bindings-python/generate.py``. A test compares its output with the
committed files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hookweave import _native

PACKAGE = Path(__file__).resolve().parent / "python" / "hookweave"
NOTICE = "generate.py writes this file from the engine's catalogue; change the catalogue, not this."

TYPES = {
    "any": "Any",
    "string": "str",
    "number": "float",
    "boolean": "bool",
    "list": "list[Any]",
    "object": "dict[str, Any]",
    "record": "Record",
}
# What a host may pass for a field when it dispatches.
GIVEN = TYPES | {"list": "Sequence[Any]", "object": "Mapping[str, Any]", "record": "Mapping[str, Any]"}

OPTIONS = "**options: Unpack[HookOptions]"

Event = Mapping[str, Any]


def field_type(field: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """The Python type of a payload field."""
    kind = types[field["type"]]
    return f"{kind} | None" if field["optional"] and kind != "Any" else kind


def is_record(field: Mapping[str, Any]) -> bool:
    """Whether the field's objects are read by attribute; a usage is, wherever it stands."""
    return bool(field["type"] == "record" or field["name"] == "usage")


def signature(event: Event, common: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The keyword parameters that give an event's fields."""
    own = {field["name"] for field in event["fields"]}
    for field in event["fields"]:
        yield f"{field['name']}: {field_type(field, GIVEN)} = ..."
    for field in common:
        if field["name"] not in own and field["name"] != "event_type":
            yield f"{field['name']}: {field_type(field, GIVEN)} = ..."
    yield "**fields: Any"


def events_module(events: Sequence[Event], common: Sequence[Mapping[str, Any]]) -> str:
    """The text of ``events.py``."""
    names = sorted(f"{event['name']}Event" for event in events)
    lines = [
        f'"""The events of the catalogue, one class each.\n\n{NOTICE}\n"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        "from typing import TYPE_CHECKING, Any, ClassVar, Self",
        "",
        "from ._native import Field",
        "from .event import Event",
        "from .record import Record",
        "",
        "__all__ = [",
        *[f'    "{name}",' for name in names],
        "]",
    ]
    for event in events:
        gate = "A gate: a block stops it." if event["gate"] else "An observation: a block is feedback."
        changes = [field["name"] for field in event["fields"] if field["modifiable"]]
        lines += [
            "",
            "",
            f"class {event['name']}Event(Event):",
            f'    """{gate} Hooks may modify {", ".join(changes) if changes else "nothing"}."""',
            "",
            "    __slots__ = ()",
            f'    event_name: ClassVar[str | None] = "{event["name"]}"',
            "",
        ]
        for field in event["fields"]:
            record = ", True" if is_record(field) else ""
            lines.append(f'    {field["name"]}: Field[{field_type(field, TYPES)}] = Field("{field["name"]}"{record})')
        lines += ["", "    if TYPE_CHECKING:", "", "        def __new__("]
        lines += ["            cls,", "            *,", *[f"            {part}," for part in signature(event, common)]]
        lines += ["        ) -> Self: ..."]
    return "\n".join([*lines, ""])


def literal(event: Event) -> str:
    """The type of an event's names."""
    return "Literal[{}]".format(", ".join(f'"{name}"' for name in [event["name"], *event["aliases"]]))


def typed_stub(events: Sequence[Event], common: Sequence[Mapping[str, Any]]) -> str:
    """The text of ``_typed.pyi``."""
    lines = [
        "# The client's methods, one overload per event, so that a handler must fit the event it is registered for.",
        f"# {NOTICE}",
        "",
        "from collections.abc import Awaitable, Callable, Mapping, Sequence",
        "from datetime import timedelta",
        "from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, overload",
        "",
        "from typing_extensions import Unpack",
        "",
        "from . import events",
        "from ._native import Dispatch, Outcome",
        "from .event import Event, EventName",
        "from .response import HookResponse",
        "from .temporary_hook import TemporaryHook",
        "",
        "E = TypeVar('E', bound=Event)",
        "EventIn = TypeVar('EventIn', bound=Event, contravariant=True)",
        "Answer: TypeAlias = HookResponse | Mapping[str, Any] | None",
        "R = TypeVar('R', bound=Answer | Awaitable[Answer])",
        "Handler: TypeAlias = Callable[[E], Answer | Awaitable[Answer]]",
        "",
        "class HookOptions(TypedDict, total=False):",
        "    matcher: Mapping[str, Any] | None",
        "    name: str | None",
        "    priority: int",
        "    scope: Literal['managed', 'user', 'project', 'local', 'agent', 'callback']",
        "    timeout: float | timedelta | None",
        "    fail_behavior: Literal['continue', 'block'] | None",
        "    once: bool",
        "    mandatory: bool | None",
        "    detached: bool",
        "    async_: bool",
        "    enabled: bool",
        "    run_in_thread: bool",
        "",
        "class Registers(Protocol[E]):",
        "    def __call__(self, handler: Callable[[E], R], /) -> Callable[[E], R]: ...",
        "",
        "class TypedClient:",
    ]
    lines = [line if line.startswith("#") else line.replace("'", '"') for line in lines]
    kinds = [(literal(event), f"events.{event['name']}Event") for event in events] + [("EventName", "Event")]
    for name, kind in kinds:
        lines += ["    @overload", f"    def hook(self, event: {name}, /, {OPTIONS}) -> Registers[{kind}]: ..."]
    for name, kind in kinds:
        lines += [
            "    @overload",
            f"    def register_hook(self, event: {name}, handler: Handler[{kind}], /, {OPTIONS}) -> str: ...",
        ]
    for name, kind in kinds:
        lines += [
            "    @overload",
            f"    def temporary_hook(self, event: {name}, handler: Handler[{kind}], /, {OPTIONS})"
            " -> TemporaryHook: ...",
        ]
    for method, result in (("dispatch", "Dispatch[Outcome[{}]]"), ("dispatch_sync", "Outcome[{}]")):
        for event in events:
            lines += ["    @overload", f"    def {method}(", "        self,"]
            lines += [f"        event_: {literal(event)},", "        payload_: Mapping[str, Any] = ...,", "        /,"]
            lines += ["        *,", *[f"        {part}," for part in signature(event, common)]]
            lines += [f"    ) -> {result.format('events.' + event['name'] + 'Event')}: ..."]
        given = "event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any"
        lines += ["    @overload", f"    def {method}(self, {given}) -> {result.format('Event')}: ..."]
        lines += ["    @overload", f"    def {method}(self, event_: E, /) -> {result.format('E')}: ..."]
    return "\n".join([*lines, ""])


def texts() -> dict[Path, str]:
    """The generated files and what should be in them."""
    events, common = _native.known_events()
    return {
        PACKAGE / "events.py": events_module(events, common),
        PACKAGE / "_typed.pyi": typed_stub(events, common),
    }


def main() -> None:
    """Writes the files."""
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
