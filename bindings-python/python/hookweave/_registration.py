"""Mistakes in a registration, reported where it is made rather than at each dispatch."""

from __future__ import annotations

import os
import sys
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, TypeVar, cast

from . import _native
from .event import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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
    given = f"a {type(event).__name__}" if isinstance(event, Event) else repr(event)
    raise InvalidHookError(f"a hook is registered for an event's name or class, not for {given}; {instead}")


def check_handler(handler: Any) -> None:
    """Refuses what cannot be called with one argument or yields, as far as its definition shows."""
    from .errors import HandlerError

    name = getattr(handler, "__qualname__", "the handler")
    if name.endswith("<lambda>"):
        name = f"the lambda at {handler_name(handler)}"
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


def handler_name(handler: Any) -> str | None:
    """What a hook without a name is called: as its function, else by the file and line of the function."""
    named = handler if isinstance(getattr(handler, "__name__", None), str) else _called(handler)[0]
    name = getattr(named, "__name__", None)
    if isinstance(name, str) and name != "<lambda>":
        return name
    place = place_of(handler)
    return None if place is None else f"{place[0].rpartition(os.sep)[2]}:{place[1]}"


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


F = TypeVar("F", bound="Callable[..., Any]")
MANY_SECONDS = 1000
"""From here on a bare number is taken for milliseconds by mistake rather than meant as seconds."""


def parameters(function: Callable[..., Any]) -> set[str]:
    """The names of what a function takes."""
    code = function.__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - {"self", "cls"}


def wrapping(outer: Callable[..., Any], function: F) -> F:
    """A function that looks like the one that it calls."""
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(outer, name, getattr(function, name))
    outer.__dict__["__wrapped__"] = function
    return cast("F", outer)


def refuse_others(place: str, options: Mapping[str, Any], known: set[str], stands_for: Mapping[str, str]) -> None:
    """Refuses options that are not known, with the nearest known name."""
    for name in sorted(options.keys() - known):
        from .errors import InvalidOptionError

        near = stands_for.get(name)
        near = f" (did you mean `{near}`?)" if near else _native.did_you_mean(name, sorted(known))
        raise InvalidOptionError(f"{place}: unknown option `{name}`{near}; known are {', '.join(sorted(known))}")


def refuse_unknown(place: str, stands_for: Mapping[str, str]) -> Callable[[F], F]:
    """Makes an unknown keyword an error of ours, with the nearest known name.

    ``stands_for`` are names of the other languages and of other systems.
    """

    def decorate(function: F) -> F:
        known = parameters(function)

        def checked(*args: Any, **options: Any) -> Any:
            if not options.keys() <= known:
                refuse_others(place, options, known, stands_for)
            return function(*args, **options)

        return wrapping(checked, function)

    return decorate


def warn_of_milliseconds(name: str, value: object) -> None:
    """Warns of a timeout that was probably meant as milliseconds."""
    if isinstance(value, int | float) and value >= MANY_SECONDS:
        import warnings

        minutes = f"{value / 60:,.0f} minutes"
        text = (
            f"{name}={value:g} is {minutes}: timeouts are in seconds; write timedelta(seconds={value:g}) if it is meant"
        )
        warnings.warn(text, stacklevel=_stack_level())


def _stack_level() -> int:
    """How far up the first caller outside the package is, as `warnings` counts."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hookweave."):
        level, frame = level + 1, frame.f_back
    return level


def place_of(function: Any) -> tuple[str, int, str, str] | None:
    """The file, line and name of a function, and where it is imported from; None where it does not say."""
    from inspect import unwrap

    called, call = _called(function)
    found: Any = unwrap(called) if callable(called) else called
    if not hasattr(found, "__code__"):
        found = getattr(found, "__func__", call)
    code = getattr(found, "__code__", None)
    if code is None:
        return None
    name = getattr(found, "__qualname__", code.co_name)
    return code.co_filename, code.co_firstlineno, name, f"{getattr(found, '__module__', '?')}.{name}"


def path_text(path: object) -> object:
    """The text of a path object; what is none is left to the core to judge."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path
