"""Values that JSON lacks, and patterns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

MISSING = object()


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


ESCAPES: dict[str, Callable[[Any], Any]] = {
    "$int": int,
    "$float": float,
    "$undefined": lambda _: MISSING,
    "$date": datetime.fromisoformat,
    "$bytes": bytes.fromhex,
    "$decimal": Decimal,
    "$tuple": lambda items: tuple(decode(item) for item in items),
    "$surrogate": lambda code: chr(int(code, 16)),
    "$repeat": lambda given: given[0] * given[1],
    "$joined": lambda parts: "".join(decode(part) for part in parts),
    "$nested": _nested,
    "$bigkey": lambda _: {1: "one"},
}


def decode(value: Any) -> Any:
    """The Python value that a vector's value stands for."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if name in ESCAPES:
            return ESCAPES[name](inner)
    decoded = {name: decode(field) for name, field in value.items()}
    return {name: field for name, field in decoded.items() if field is not MISSING}


def fits(pattern: Any, value: Any, path: str = "") -> list[str]:
    """Where a value does not fit a pattern; nothing when it does."""
    if isinstance(pattern, dict):
        return _fits_object(pattern, value, path)
    if value is MISSING:
        return [] if pattern in ([], None, False, 0) else [f"{path}: missing, expected {pattern!r}"]
    if isinstance(pattern, list):
        if not isinstance(value, list | tuple) or len(value) != len(pattern):
            return [f"{path}: {value!r} is no list of {len(pattern)} ({pattern!r})"]
        return [fault for i, wanted in enumerate(pattern) for fault in fits(wanted, value[i], f"{path}[{i}]")]
    return [] if _same(pattern, value) else [f"{path}: {value!r} is not {pattern!r}"]


def _fits_object(pattern: dict[str, Any], value: Any, path: str) -> list[str]:
    if len(pattern) == 1:
        ((name, inner),) = pattern.items()
        if name == "$absent":
            return [] if value is MISSING else [f"{path}: {value!r} should be missing"]
        if name == "$contains":
            texts = [inner] if isinstance(inner, str) else inner
            found = isinstance(value, str) and all(text in value for text in texts)
            return [] if found else [f"{path}: {value!r} does not contain {texts!r}"]
        if name == "$kind":
            kinds = {"string": str, "number": int | float}
            right = isinstance(value, kinds[inner]) and not isinstance(value, bool) and value not in ("", MISSING)
            return [] if right else [f"{path}: {value!r} is no {inner}"]
        if name in ESCAPES:
            return fits_value(ESCAPES[name](inner), value, path)
    if value is MISSING:
        return [] if pattern == {} else [f"{path}: missing, expected {pattern!r}"]
    if not isinstance(value, Mapping):
        return [f"{path}: {value!r} is no object"]
    return [
        fault
        for name, wanted in pattern.items()
        for fault in fits(wanted, value.get(name, MISSING), f"{path}.{name}".lstrip("."))
    ]


def fits_value(wanted: Any, value: Any, path: str) -> list[str]:
    """Whether a value is exactly the one that an escape stands for."""
    if wanted is MISSING:
        return [] if value is MISSING else [f"{path}: {value!r} should be missing"]
    if isinstance(wanted, float) and math.isnan(wanted):
        return [] if isinstance(value, float) and math.isnan(value) else [f"{path}: {value!r} is not nan"]
    return [] if type(value) is type(wanted) and value == wanted else [f"{path}: {value!r} is not {wanted!r}"]


def _same(pattern: Any, value: Any) -> bool:
    if isinstance(pattern, bool) or isinstance(value, bool):
        return pattern is value
    if isinstance(pattern, int | float) and isinstance(value, int | float):
        return pattern == value
    return type(pattern) is type(value) and pattern == value
