"""Tools: what an agent can do, and what comes of it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeAlias

from .errors import InvalidOptionError

__all__ = ["Tool", "ToolFunction", "ToolResult"]

ToolFunction: TypeAlias = Callable[..., Awaitable[Any] | Any]
"""Called with the arguments as a dict, and with a :class:`ToolContext` if it takes a second parameter."""

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives that has more to say than its output; with ``success=False`` the call has failed."""

    output: Any = None
    success: bool = True
    exit_code: int | None = None


class Tool:
    """A tool as sessions call it."""

    __slots__ = ("function", "takes_context")

    def __init__(self, function: ToolFunction) -> None:
        if not callable(function):
            raise InvalidOptionError(f"a tool is called with its arguments; {function!r} is not callable")
        self.function: ToolFunction = function
        self.takes_context: bool = _takes_context(function)

    def __call__(self, args: Any, context: object) -> Any:
        """Runs it, or gives something to await; the context is only looked at by a tool that takes it."""
        return self.function(args, context) if self.takes_context else self.function(args)


def _takes_context(function: ToolFunction) -> bool:
    """Whether there is a second parameter that has to be given, or one that is called ``context``."""
    if type(function) is FunctionType and function.__code__.co_argcount < 2 and not function.__dict__:
        # Nothing wraps it and it has no other signature: looking closer costs more than a dispatch.
        return False
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # A function of a native module that does not say.
        return False
    positional = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    if len(positional) < 2:
        return False
    second = positional[1]
    return second.default is inspect.Parameter.empty or second.name == "context"
