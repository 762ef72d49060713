"""Hooks for the duration of a block."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .event import Event

__all__ = ["TemporaryHook"]


class RegisteringClient(Protocol):
    """The client of a temporary hook."""

    def _register(
        self, event: str | type[Event], handler: Callable[[Any], Any], temporary: bool, options: dict[str, Any]
    ) -> str: ...
    def unregister_hook(self, id: str) -> bool: ...


class TemporaryHook:
    """A hook that is registered while a ``with`` or ``async with`` block runs, also when the block raises."""

    __slots__ = ("_client", "_is_unused", "_register", "id")

    def __init__(
        self,
        client: RegisteringClient,
        event: str | type[Event],
        handler: Callable[[Any], Any],
        options: Mapping[str, Any],
    ) -> None:
        self._client = client
        self._register = functools.partial(client._register, event, handler, True, dict(options))
        self.id: str | None = None
        self._is_unused = True

    def __del__(self) -> None:
        # A guard that was never there.
        if getattr(self, "_is_unused", False):
            message = "a temporary hook was never registered; write `with client.temporary_hook(…):`"
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def __enter__(self) -> str:
        if self.id is not None:
            raise RuntimeError("this temporary hook is in use; make another one for another block")
        self._is_unused = False
        self.id = self._register()
        return self.id

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.id is not None:
            self._client.unregister_hook(self.id)
            self.id = None

    async def __aenter__(self) -> str:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)
