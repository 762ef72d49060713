"""Which exceptions of a hook are not its failure: those by which a runtime ends what runs."""

from __future__ import annotations

from typing import Final

__all__ = ["is_control_flow"]

RUNTIMES: Final = frozenset({"asyncio", "curio", "eventlet", "gevent", "greenlet", "trio"})
"""Packages whose exceptions outside ``Exception`` cancel a task or a greenlet, or time it out."""


def is_control_flow(error: BaseException) -> bool:
    """Whether an exception, or one in a group, goes on to the caller of the dispatch."""
    if isinstance(error, Exception):
        # A person at the debugger's prompt ends the program, not the hook.
        return type(error).__name__ == "BdbQuit"
    if isinstance(error, BaseExceptionGroup):
        return any(is_control_flow(inner) for inner in error.exceptions)
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        return True
    return any(base.__module__.partition(".")[0] in RUNTIMES for base in type(error).__mro__)
