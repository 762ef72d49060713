"""A client that keeps what came of its events, and knows which failures a test expected."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Any, Self

from .. import _detached
from .._logging import logger
from .._native import Outcome
from ..client import CLOSE_SECONDS, HookClient
from ..outcome import TraceEntry
from ._judged import describe

__all__ = ["WatchedClient", "expect_failure"]

ENDS_OF_A_LOOP = ("cancelled", "not_started")
"""How detached hooks end that are under way when their event loop does: no fault of theirs."""


class _FailureLog(logging.Handler):
    """Collects failures of detached hooks, which no outcome has."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.failures: list[tuple[str, str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(record, "hook") and not hasattr(record, "matcher") and isinstance(record.args, tuple):
            hook, _, _, kind, *_ = (*record.args, None, None, None, None)
            self.failures.append((str(hook), str(kind), record.getMessage()))


class WatchedClient(HookClient):
    """A client that keeps the outcome of every event, so that :meth:`assert_no_failures` can look at all of them."""

    outcomes: list[Outcome[Any]]
    """What came of every event, those of sessions included, in the order in which they ended."""

    def __new__(cls, **options: Any) -> Self:
        """Takes the options of :class:`HookClient`."""
        client = super().__new__(cls, **options)
        client.outcomes = []
        client._expected = set()
        client._failure_log = _FailureLog()
        logger.addHandler(client._failure_log)
        weakref.finalize(client, logger.removeHandler, client._failure_log)
        _watched.add(client)
        return client

    _expected: set[tuple[int, str]]
    _failure_log: _FailureLog

    if not TYPE_CHECKING:
        # Type checkers see the overloads of the client.

        def dispatch(self, /, *given: Any, **fields: Any) -> Awaitable[Outcome[Any]]:
            """Dispatches an event and keeps its outcome."""
            return self._keep(super().dispatch(*given, **fields))

        def dispatch_sync(self, /, *given: Any, **fields: Any) -> Outcome[Any]:
            """Dispatches an event and keeps its outcome."""
            outcome = super().dispatch_sync(*given, **fields)
            self.outcomes.append(outcome)
            return outcome

    async def _keep(self, running: Awaitable[Outcome[Any]]) -> Outcome[Any]:
        outcome = await running
        self.outcomes.append(outcome)
        return outcome

    def assert_no_failures(self, *, may_fail: bool | Iterable[str] = False) -> None:
        """No hook failed, but those that :func:`assert_failed` expected and those named here; True names all."""
        __tracebackhide__ = True
        if may_fail is True:
            return
        names = {may_fail} if isinstance(may_fail, str) else set(may_fail or ())
        _detached.drain_blocking(self, CLOSE_SECONDS)
        for outcome in self.outcomes:
            failed = [
                entry.hook
                for entry in outcome.trace
                if entry.failure is not None
                and entry.hook not in names
                and (id(outcome), entry.id) not in self._expected
            ]
            if failed:
                hooks = ", ".join(f"`{hook}`" for hook in failed)
                raise AssertionError(f"hooks failed unexpectedly: {hooks}{_HINT}\n\n{describe(outcome)}")
        detached = {entry.hook for outcome in self.outcomes for entry in outcome.trace if entry.status == "detached"}
        for hook, kind, message in self._failure_log.failures:
            if hook in detached - names and kind not in ENDS_OF_A_LOOP:
                raise AssertionError(f"a hook failed unexpectedly: {message}{_HINT}")


_HINT = " (expect it by `assert_failed`, or let it by `may_fail`)"

_watched: weakref.WeakSet[WatchedClient] = weakref.WeakSet()


def expect_failure(outcome: Outcome[Any], entry: TraceEntry) -> None:
    """Makes the failure of a hook an expected one for the client that it happened in."""
    for client in list(_watched):
        if any(kept is outcome for kept in client.outcomes):
            client._expected.add((id(outcome), entry.id))
