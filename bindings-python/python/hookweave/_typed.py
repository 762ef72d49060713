"""The client's methods as type checkers see them stand in ``_typed.pyi``; at run time there is nothing here."""

from __future__ import annotations

from typing import Any

__all__ = ["HookOptions", "TypedClient"]


class TypedClient:
    """The base of the client that carries its overloads."""

    __slots__ = ()


class HookOptions(dict[str, Any]):
    """The options of a hook: a ``TypedDict`` for type checkers."""
