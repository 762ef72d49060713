"""What the engine writes to the logger ``hookweave``; records are formatted only when they are wanted."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ._native import Outcome
    from .outcome import HookInfo, TraceEntry

__all__ = ["detached_ended", "detached_failed", "dispatched", "listener_failed", "logger", "started", "warned"]

logger = logging.getLogger("hookweave")
"""Without a handler of its own: where a program configures no logging, Python shows warnings on stderr all the same,
and a guard that fails and lets everything pass has to be seen."""


class ListingClient(Protocol):
    """A client that lists its hooks."""

    def list_hooks(self) -> list[HookInfo]: ...


def started(event: str, hook: str) -> None:
    """A hook starts; called only while level info is on."""
    logger.info("hook %s started on %s", hook, event, extra={"event": event, "hook": hook})


def dispatched(outcome: Outcome[Any], client: ListingClient, failures: Mapping[int, int]) -> None:
    """A dispatch ended in which something failed, or level info is on.

    ``failures`` are those to be logged, by their places in the trace, with how often the hook has failed by now.
    """
    event = outcome.event.event_type
    matchers: Mapping[str, Any] = {hook.id: hook.matcher for hook in client.list_hooks()}
    for index, entry in enumerate(outcome.trace):
        _entry(event, entry, matchers.get(entry.id, {}), failures.get(index, 0))
    if logger.isEnabledFor(logging.DEBUG):
        for other in outcome.unmatched:
            about = {"event": event, "hook": other.hook}
            logger.debug("hook %s not selected on %s: %s", other.hook, event, other.why, extra=about)


def _entry(event: str, entry: TraceEntry, matcher: Mapping[str, Any], times: int) -> None:
    about = {"event": event, "hook": entry.hook, "matcher": dict(matcher), "duration": entry.duration}
    if entry.failure is not None:
        blocks = entry.failure.became == "block"
        level = (logging.ERROR if blocks else logging.WARNING) if times else logging.INFO
        again = f" (it has failed {times} times by now)" if times > 1 else ""
        logger.log(
            level,
            "hook %s (matcher %s) failed on %s after %.3f s: %s: %s; the action %s%s",
            entry.hook,
            dict(matcher),
            event,
            entry.duration,
            entry.failure.kind,
            entry.failure.message,
            "is blocked" if blocks else "continues",
            again,
            extra=about,
            exc_info=entry.failure.error.__cause__,
        )
    elif entry.status in ("ran", "rechecked"):
        logger.info(
            "hook %s ended on %s after %.6f s: %s%s",
            entry.hook,
            event,
            entry.duration,
            entry.action,
            f" ({entry.reason})" if entry.reason else "",
            extra=about,
        )


def detached_failed(event: str, hook: str, kind: str, value: object, seconds: float) -> None:
    """A detached hook failed; its dispatch is long over."""
    cause = value if isinstance(value, BaseException) else None
    message = f"no answer within {value} s" if kind == "timeout" else str(value)
    logger.warning(
        "detached hook %s failed on %s after %.3f s: %s: %s",
        hook,
        event,
        seconds,
        kind,
        message,
        extra={"event": event, "hook": hook, "duration": seconds},
        exc_info=cause,
    )


def detached_ended(event: str, hook: str, answer: object, seconds: float) -> None:
    """A detached hook ended; its answer decides nothing, and there is no listener."""
    logger.info(
        "detached hook %s ended on %s after %.6f s%s",
        hook,
        event,
        seconds,
        "" if answer is None else f"; it answered {answer!r}",
        extra={"event": event, "hook": hook, "duration": seconds},
    )


def listener_failed(event: str, hook: str, answer: object, error: Exception) -> None:
    """The listener of late answers failed; the answer is here instead."""
    logger.error(
        "the listener of late answers failed on the answer %r of detached hook %s on %s",
        answer,
        hook,
        event,
        extra={"event": event, "hook": hook},
        exc_info=error,
    )


def warned(warnings: Sequence[Mapping[str, Any]]) -> None:
    """Hooks that a person should look at; each is reported once."""
    for warning in warnings:
        about = {name: warning[name] for name in ("hook", "event", "kind")}
        text = "hook %s on %s %s; %s"
        logger.warning(text, warning["hook"], warning["event"], warning["reason"], warning["fix"], extra=about)
