"""Mistakes in a registration, reported where it is made rather than at each dispatch."""

from __future__ import annotations

import inspect
import os
from types import FunctionType, MethodType
from typing import Any

from .errors import HandlerError, InvalidHookError
from .event import Event


def check_event(event: object) -> None:
    """Refuses what names no event; without it a decorator whose call was forgotten would swallow its function."""
    if isinstance(event, str):
        return
    name = event.__name__.removesuffix("Event") if isinstance(event, type) and issubclass(event, Event) else None
    instead = f"write {name!r}" if name else 'write its name, such as @client.hook("PreToolUse")'
    raise InvalidHookError(f"a hook is registered for an event's name, not for {event!r}; {instead}")


def check_handler(handler: Any) -> None:
    """Refuses what cannot be called with one argument, as far as its signature shows."""
    if not callable(handler):
        raise HandlerError(f"a handler is called with the event; {handler!r} is not callable")
    function = handler.__func__ if isinstance(handler, MethodType) else handler
    if not isinstance(function, FunctionType):
        return
    code = function.__code__
    bound = 1 if isinstance(handler, MethodType) else 0
    most = code.co_argcount - bound
    least = most - len(function.__defaults__ or ())
    takes_more = bool(code.co_flags & inspect.CO_VARARGS)
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    wanted = [name for name in keywords if name not in (function.__kwdefaults__ or {})]
    if wanted or least > 1 or (most < 1 and not takes_more):
        takes = f"the keyword {wanted[0]}" if wanted else f"{least} arguments" if least > 1 else "none"
        name = getattr(handler, "__qualname__", "the handler")
        raise HandlerError(f"a handler is called with one argument, the event; {name} takes {takes}")


def path_text(path: object) -> object:
    """The text of a path object; what is none is left to the core to judge."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path
