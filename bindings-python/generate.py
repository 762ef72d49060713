"""Writes the files that follow from others: event classes, overloads of the client, and where public names are.

Run it after the engine's catalogue or the imports of the package changed: ``python bindings-python/generate.py``. A
test compares its output with the committed files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hookweave import HookOptions, _native

PACKAGE = Path(__file__).resolve().parent / "python" / "hookweave"
NOTICE = "generate.py writes this file from the engine's catalogue; change the catalogue, not this."
NOTICE_EXPORTS = "generate.py writes this file from the imports of ``__init__.py``; change those, not this."

TYPES = {
    "any": "Any",
    "string": "str",
    "number": "float",
    "boolean": "bool",
    "list": "list[Any]",
    "object": "dict[str, Any]",
}
# The types of fields that are records; their classes stand in ``record.py``.
RECORDS = {"context": "_CallContext", "result": "_ToolRecord", "response": "_ModelRecord"}
# What a host may pass for a field when it dispatches.
GIVEN = TYPES | {"list": "Sequence[Any]", "object": "Mapping[str, Any]", "record": "Mapping[str, Any]"}

DOCS = {
    "hook": "Registers the function that it decorates for an event, and leaves it as it is.",
    "register_hook": "Registers a handler for an event, and gives the id of the hook.",
    "temporary_hook": "Registers a hook for the duration of a ``with`` or ``async with`` block.",
    "dispatch": "Runs the hooks of an event and gives their outcome; nothing runs before it is awaited.",
    "dispatch_sync": "Runs the hooks of an event and gives their outcome, in programs without an event loop.",
}

Event = Mapping[str, Any]


def documented(level: int, signature: str, method: str) -> list[str]:
    """A method with what an editor shows of it."""
    edge = " " * 4 * level
    return [f"{edge}{signature}:", f'{edge}    """{DOCS[method]}"""']


def options() -> str:
    """The options of a hook as parameters: editors show them, and checkers name the one that is misspelt."""
    kinds = {name: kind.__forward_arg__ for name, kind in HookOptions.__annotations__.items()}
    return ", ".join(["*", *(f"{name}: {kind} = ..." for name, kind in kinds.items())])


def field_type(field: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """The Python type of a payload field."""
    kind = types[field["type"]] if field["type"] in types else RECORDS[field["name"]]
    return f"{kind} | None" if field["optional"] and kind != "Any" else kind


def is_record(field: Mapping[str, Any]) -> bool:
    """Whether the field's objects are read by attribute; a usage is, wherever it stands."""
    return bool(field["type"] == "record" or field["name"] == "usage")


def signature(event: Event, common: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The keyword parameters that give an event's fields."""
    own = names_of(event)
    for field in event["fields"]:
        yield f"{field['name']}: {field_type(field, GIVEN)} = ..."
    for field in common:
        if field["name"] not in own and field["name"] != "event_type":
            yield f"{field['name']}: {field_type(field, GIVEN)} = ..."
    yield "**fields: Any"


def names_of(event: Event) -> set[str]:
    """The names of an event's fields."""
    return {field["name"] for field in event["fields"]}


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
        "from .event import CallEvent, Event",
        "",
        "if TYPE_CHECKING:",
        f"    from .record import {', '.join(sorted(RECORDS.values()))}",
        "",
        "__all__: list[str] = [",
        *[f'    "{name}",' for name in names],
        "]",
    ]
    for event in events:
        gate = "A gate: a block stops it." if event["gate"] else "An observation: a block is feedback."
        changes = [field["name"] for field in event["fields"] if field["modifiable"]]
        lines += [
            "",
            "",
            f"class {event['name']}Event({'CallEvent' if 'args' in names_of(event) else 'Event'}):",
            f'    """{gate} Hooks may modify {", ".join(changes) if changes else "nothing"}."""',
            "",
            "    __slots__ = ()",
            f'    event_name: ClassVar[str | None] = "{event["name"]}"',
            "",
        ]
        for field in event["fields"]:
            record = ", True" if is_record(field) else ""
            lines.append(f'    {field["name"]}: Field[{field_type(field, TYPES)}] = Field("{field["name"]}"{record})')
        # Other fields than its own have no type: a misspelt one is an error.
        lines += ["", "    if TYPE_CHECKING:", "        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]"]
        lines += ["", "        def __new__("]
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
        "from typing import Any, Literal, Protocol, TypeAlias, TypeVar, overload",
        "",
        "from . import events",
        "from ._native import Dispatch, Outcome",
        "from .event import Event, EventName",
        "from .options import Duration, FailBehavior, Matcher, Scope",
        "from .response import HookResponse",
        "from .temporary_hook import TemporaryHook",
        "",
        "__all__ = ['TypedClient']",
        "",
        "E = TypeVar('E', bound=Event)",
        "Answer: TypeAlias = HookResponse | Mapping[str, Any] | None",
        "R = TypeVar('R', bound=Answer | Awaitable[Answer])",
        "Result: TypeAlias = Answer | Awaitable[Answer]",
        "Handler: TypeAlias = Callable[[E], Result]",
        "",
        "# mypy alone takes this for true. Of a method with overloads it shows all for each mistake, but it also",
        "# chooses overloads by the type of `self` alone; other type checkers find no mistake that way.",
        "MYPY: bool",
        "",
    ]
    kinds = [
        (f"{literal(event)} | type[events.{event['name']}Event]", f"events.{event['name']}Event") for event in events
    ]
    kinds.append(("EventName", "Event"))
    lines += [
        "class Registers(Protocol[E]):",
        "    def __call__(self, handler: Callable[[E], R], /) -> Callable[[E], R]: ...",
        "",
        "if MYPY:",
        "    Named: TypeAlias = (",
        *[f"        {'| ' if place else ''}{name}" for place, (name, _) in enumerate(kinds)],
        "    )",
        "    N = TypeVar('N', bound=Named)",
        "    N_co = TypeVar('N_co', bound=Named, covariant=True)",
        "    class HandlerOf(Protocol[N_co]):",
    ]
    for name, kind in kinds:
        lines += [
            "        @overload",
            f"        def __call__(self: HandlerOf[{name}], event: {kind}, /) -> Result: ...",
        ]
    lines += ["    class RegistersOf(Protocol[N_co]):"]
    for name, kind in reversed(kinds):
        signature_of = f"self: RegistersOf[{name}], handler: Callable[[{kind}], R], /"
        lines += ["        @overload", f"        def __call__({signature_of}) -> Callable[[{kind}], R]: ..."]
    given = f"self, event: N, handler: HandlerOf[N], /, {options()}"
    lines += [
        "",
        "class TypedClient:",
        "    if MYPY:",
        *documented(2, f"def hook(self, event: N, /, {options()}) -> RegistersOf[N]", "hook"),
        *documented(2, f"def register_hook({given}) -> str", "register_hook"),
        *documented(2, f"def temporary_hook({given}) -> TemporaryHook", "temporary_hook"),
        "    else:",
    ]
    lines = [line if line.startswith("#") else line.replace("'", '"') for line in lines]
    kinds = [("type[E]", "E"), *((literal(event), f"events.{event['name']}Event") for event in events)]
    kinds.append(("EventName", "Event"))
    for name, kind in kinds:
        hook = f"def hook(self, event: {name}, {options()}) -> Registers[{kind}]"
        lines += ["        @overload", *documented(2, hook, "hook")]
    for method, result in (("register_hook", "str"), ("temporary_hook", "TemporaryHook")):
        for name, kind in kinds:
            given = f"event: {name}, handler: Handler[{kind}], {options()}"
            lines += ["        @overload", *documented(2, f"def {method}(self, {given}) -> {result}", method)]
    for method, result in (("dispatch", "Dispatch[Outcome[{}]]"), ("dispatch_sync", "Outcome[{}]")):
        for event in events:
            own = ["self", f"event_: {literal(event)}", "payload_: Mapping[str, Any] = ...", "/", "*"]
            parts = "".join(f"        {part},\n" for part in [*own, *signature(event, common)])
            head = f"def {method}(\n{parts}    ) -> {result.format('events.' + event['name'] + 'Event')}"
            lines += ["    @overload", *documented(1, head, method)]
        given = "event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any"
        for parameters, kind in ((given, "Event"), ("event_: E, /", "E")):
            head = f"def {method}(self, {parameters}) -> {result.format(kind)}"
            lines += ["    @overload", *documented(1, head, method)]
    return "\n".join([*lines, ""])


def modified_module(events: Sequence[Event]) -> str:
    """The text of ``modified.py``."""
    kinds: dict[str, dict[str, None]] = {}
    for event in events:
        for field in event["fields"]:
            if field["modifiable"]:
                kind = "Mapping[str, Any]" if field["type"] == "record" else GIVEN[field["type"]]
                kinds.setdefault(field["name"], {})[kind] = None
    lines = [
        f'"""The fields that hooks may replace, for type checkers and editors.\n\n{NOTICE}\n"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, TypedDict",
        "",
        '__all__ = ["Modified"]',
        "",
        "",
        "class Modified(TypedDict, total=False):",
        '    """New values for fields of a catalogue event; each event says which of them it has."""',
        "",
        *[f"    {name}: {' | '.join(kinds[name])}" for name in sorted(kinds)],
    ]
    return "\n".join([*lines, ""])


def exports_module(source: str) -> str:
    """The text of ``_exports.py``, from what ``__init__.py`` imports for type checkers."""
    block = next(node for node in ast.parse(source).body if isinstance(node, ast.If))
    modules: list[str] = []
    homes: dict[str, str] = {}
    for node in block.body:
        if not isinstance(node, ast.ImportFrom):
            continue
        for name in (alias.name for alias in node.names):
            if node.module is None:
                modules.append(name)
            elif name == "*":
                homes |= dict.fromkeys(import_module(f"hookweave.{node.module}").__all__, node.module)
            else:
                homes[name] = node.module
    # The module of the audit log is a public name itself.
    homes["audit"] = "audit"
    lines = [
        f'"""The module of each public name, and modules that are attributes of the package.\n\n{NOTICE_EXPORTS}\n"""',
        "",
        f"MODULES = ({', '.join(repr(name) for name in sorted(modules))})".replace("'", '"'),
        "HOMES = {",
        *[f'    "{name}": "{homes[name]}",' for name in sorted(homes)],
        "}",
    ]
    return "\n".join([*lines, ""])


def texts() -> dict[Path, str]:
    """The generated files and what should be in them."""
    events, common = _native.known_events()
    return {
        PACKAGE / "events.py": events_module(events, common),
        PACKAGE / "_typed.pyi": typed_stub(events, common),
        PACKAGE / "modified.py": modified_module(events),
        PACKAGE / "_exports.py": exports_module((PACKAGE / "__init__.py").read_text(encoding="utf-8")),
    }


def main() -> None:
    """Writes the files."""
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
