"""The client's methods as type checkers see them stand in ``_typed.pyi``; at run time there is nothing here."""

from __future__ import annotations

__all__ = ["TypedClient"]


class TypedClient:
    """The base of the client that carries its overloads."""

    __slots__ = ()
