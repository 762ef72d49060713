"""Copies of containers that are no plain ``dict``, ``list`` or ``tuple``, so that no hook changes what others hold.

Containers are known by what they do: mappings, sequences and sets, registered or derived, and records (dataclasses,
attrs classes, pydantic models, simple namespaces). A copy has the class of the original where ``copy.copy`` keeps it,
else it is a plain one. Objects of any other class are handles (a file, a connection, the program's own state), and are
shared.
"""

from __future__ import annotations

import copy
import enum
from array import array
from collections import deque
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence, Set
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from . import _native

__all__ = ["copied", "is_container", "read_mapping"]

Inner: TypeAlias = Callable[[Any], Any]
Copier: TypeAlias = Callable[[Any, Inner], Any]

RECORDS: Final = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__", "__pydantic_model__")
"""What classes have whose instances are records."""

LEAVES: Final = (str, bytes, frozenset, range)
"""Sequences and sets in which nothing can be changed."""


def is_container(kind: type) -> bool:
    """Whether instances of a class are copied rather than shared."""
    return _copier(kind) is not None


def copied(value: Any, left: int, copying: _native._Copying) -> Any:
    """A copy all the way down, with at most so many levels inside."""
    copier = _copier(type(value))
    return value if copier is None else copier(value, lambda inside: copying.inner(inside, left))


def read_mapping(answer: Any) -> Any:
    """The items of a mapping of any class as a dict; any other value as it is.

    Raises ``TypeError`` for an empty mapping of a class of the program's, whose answer may be in attributes, and for a
    member of an enumeration, which is a number to the core if it is one.
    """
    if isinstance(answer, enum.Enum) and not isinstance(answer, str):
        raise TypeError(f"{answer!r} is a member of an enumeration; return a HookResponse or a dict")
    if not isinstance(answer, Mapping):
        return answer
    fields = {key: answer[key] for key in answer}
    kind = type(answer)
    if not fields and kind.__module__ not in ("builtins", "collections"):
        raise TypeError(f"a {kind.__qualname__} has no items; return a HookResponse or a dict")
    return fields


_known: WeakKeyDictionary[type, Copier | None] = WeakKeyDictionary()


def _copier(kind: type) -> Copier | None:
    try:
        return _known[kind]
    except KeyError:
        copier = _known[kind] = _find(kind)
        return copier


def _find(kind: type) -> Copier | None:
    if issubclass(kind, LEAVES):
        return None
    for base, copier in _BUILT_IN:
        if issubclass(kind, base):
            return copier
    for base, copier in _ABSTRACT:
        if issubclass(kind, base):
            return copier
    is_record = issubclass(kind, SimpleNamespace) or any(hasattr(kind, mark) for mark in RECORDS)
    return _record if is_record and not hasattr(kind, "__del__") else None


def _shallow(value: Any) -> Any:
    """A shallow copy of the same class; None where there is none, or its destructor might end what the original has."""
    if hasattr(type(value), "__del__"):
        return None
    try:
        made = copy.copy(value)
    except Exception:
        return None
    return made if made is not value and type(made) is type(value) else None


def _attributes(made: Any, inner: Inner) -> bool:
    """Copies the containers that a shallow copy has in its attributes; says whether it has any attributes."""
    own = getattr(made, "__dict__", None)
    if isinstance(own, dict):
        for name, value in list(own.items()):
            new = inner(value)
            if new is not value:
                own[name] = new
    slots = [name for base in type(made).__mro__ for name in _slots(base)]
    for name in slots:
        with suppress(AttributeError):
            value = object.__getattribute__(made, name)
            new = inner(value)
            if new is not value:
                object.__setattr__(made, name, new)
    return bool(own) or bool(slots)


def _slots(base: type) -> list[str]:
    names = base.__dict__.get("__slots__", ())
    names = [names] if isinstance(names, str) else list(names)
    private = f"_{base.__name__.lstrip('_')}"
    own = [name for name in names if name not in ("__dict__", "__weakref__")]
    return [f"{private}{name}" if name.startswith("__") and not name.endswith("__") else name for name in own]


def _dict(value: dict[Any, Any], inner: Inner) -> Any:
    made = _shallow(value)
    if made is None or dict.__len__(made) != dict.__len__(value):
        made = dict(dict.items(value))
    for key, inside in list(dict.items(made)):
        new = inner(inside)
        if new is not inside:
            dict.__setitem__(made, key, new)
    _attributes(made, inner)
    return made


def _list(value: list[Any], inner: Inner) -> Any:
    made = _shallow(value)
    if made is None or list.__len__(made) != list.__len__(value):
        made = list(list.__iter__(value))
    for index, inside in enumerate(list(list.__iter__(made))):
        new = inner(inside)
        if new is not inside:
            list.__setitem__(made, index, new)
    _attributes(made, inner)
    return made


def _tuple(value: tuple[Any, ...], inner: Inner) -> Any:
    items = list(tuple.__iter__(value))
    new = [inner(inside) for inside in items]
    own = getattr(value, "__dict__", None)
    if not own and all(old is other for old, other in zip(items, new, strict=True)):
        return value
    made = tuple.__new__(type(value), new)
    if own:
        made.__dict__.update(own)
        _attributes(made, inner)
    return made


def _set(value: Any, inner: Inner) -> Any:
    made = _shallow(value)
    if made is None:
        return set(value)
    _attributes(made, inner)
    return made


def _flat(value: Any, inner: Inner) -> Any:
    made = _shallow(value)
    return bytearray(value) if made is None else made


def _memory(value: memoryview, inner: Inner) -> Any:
    return value if value.readonly and isinstance(value.obj, bytes) else memoryview(value.tobytes())


def _deque(value: deque[Any], inner: Inner) -> Any:
    made = _shallow(value)
    if made is None:
        made = deque(value, value.maxlen)
    for index, inside in enumerate(list(made)):
        new = inner(inside)
        if new is not inside:
            deque.__setitem__(made, index, new)
    _attributes(made, inner)
    return made


def _mapping(value: Mapping[Any, Any], inner: Inner) -> Any:
    made = _shallow(value)
    if made is not None and _attributes(made, inner):
        return made
    # It keeps its values out of reach.
    plain = {key: inner(value[key]) for key in value}
    if made is None or not isinstance(made, MutableMapping):
        return plain
    for key, inside in plain.items():
        made[key] = inside
    return made


def _sequence(value: Sequence[Any], inner: Inner) -> Any:
    made = _shallow(value)
    if made is not None and _attributes(made, inner):
        return made
    plain = [inner(inside) for inside in value]
    if made is None or not isinstance(made, MutableSequence):
        return plain
    for index, inside in enumerate(plain):
        made[index] = inside
    return made


def _abstract_set(value: Set[Any], inner: Inner) -> Any:
    made = _shallow(value)
    return set(value) if made is None or not _attributes(made, inner) else made


def _record(value: Any, inner: Inner) -> Any:
    made = _shallow(value)
    if made is None:
        return value
    _attributes(made, inner)
    return made


_BUILT_IN: Final[tuple[tuple[type, Copier], ...]] = (
    (dict, _dict),
    (list, _list),
    (tuple, _tuple),
    (set, _set),
    (deque, _deque),
    (bytearray, _flat),
    (array, _flat),
    (memoryview, _memory),
)
_ABSTRACT: Final[tuple[tuple[type, Copier], ...]] = ((Mapping, _mapping), (Sequence, _sequence), (Set, _abstract_set))
