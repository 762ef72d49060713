"""Mistakes in a registration, reported where it is made rather than at each dispatch."""

from __future__ import annotations

import os
from types import FunctionType, MethodType
from typing import TYPE_CHECKING

from .event import Event

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def event_name(event: object) -> str:
    """The name of the event that a hook is registered for: a name, or the class of a catalogue event.

    Refuses anything else; a decorator whose call was forgotten would swallow its function.
    """
    if isinstance(event, str):
        return event
    if isinstance(event, type) and issubclass(event, Event) and event.event_name is not None:
        return event.event_name
    from .errors import InvalidHookError

    name = getattr(event, "__name__", None)
    instead = 'write its name, such as @client.hook("PreToolUse")'
    if isinstance(event, FunctionType | MethodType):
        instead += f", above `{name}`"
    elif event is Event:
        instead = 'write the class of one event, such as PreToolUseEvent, or its name, such as "PreToolUse"'
    elif isinstance(event, Event):
        instead = f"write {event.event_type!r}"
    raise InvalidHookError(f"a hook is registered for an event's name or class, not for {event!r}; {instead}")


def check_handler(handler: Any) -> None:
    """Refuses what cannot be called with one argument or yields, as far as its definition shows."""
    from .errors import HandlerError

    name = getattr(handler, "__qualname__", "the handler")
    if not callable(handler):
        raise HandlerError(f"a handler is called with the event; {handler!r} is not callable")
    if _yields(handler):
        raise HandlerError(f"a handler returns its answer; {name} yields, and would answer nothing: write `return`")
    function = handler.__func__ if isinstance(handler, MethodType) else handler
    if not isinstance(function, FunctionType):
        return
    from inspect import CO_VARARGS

    code = function.__code__
    bound = 1 if isinstance(handler, MethodType) else 0
    most = code.co_argcount - bound
    least = most - len(function.__defaults__ or ())
    takes_more = bool(code.co_flags & CO_VARARGS)
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    wanted = [name for name in keywords if name not in (function.__kwdefaults__ or {})]
    if wanted or least > 1 or (most < 1 and not takes_more):
        takes = f"the keyword {wanted[0]}" if wanted else f"{least} arguments" if least > 1 else "none"
        raise HandlerError(f"a handler is called with one argument, the event; {name} takes {takes}")


def _called(handler: Any) -> tuple[object, object]:
    """What is called in the end: a partial's function, and the method by which an object is called."""
    from functools import partial

    while isinstance(handler, partial):
        handler = handler.func
    return handler, getattr(handler, "__call__", None)  # noqa: B004


def is_async(handler: Callable[..., Any]) -> bool:
    """Whether calling the handler gives a coroutine, as far as its definition shows."""
    from inspect import iscoroutinefunction

    return any(map(iscoroutinefunction, _called(handler)))


def _yields(handler: Callable[..., Any]) -> bool:
    """Whether calling the handler gives a generator that is not to be awaited, as far as its definition shows."""
    from inspect import CO_ITERABLE_COROUTINE, isasyncgenfunction, isgeneratorfunction

    for function in _called(handler):
        code = getattr(function, "__code__", None)
        if isasyncgenfunction(function):
            return True
        if isgeneratorfunction(function) and not (code and code.co_flags & CO_ITERABLE_COROUTINE):
            return True
    return False


def path_text(path: object) -> object:
    """The text of a path object; what is none is left to the core to judge."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path
