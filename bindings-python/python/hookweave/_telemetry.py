"""What a program that traces with OpenTelemetry needs of a dispatch; nothing here is imported by one that does not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

from ._logging import logger

if TYPE_CHECKING:
    from ._native import Outcome
    from ._session_driver import Tracing

__all__ = ["current", "dispatched"]


class TracedClient(Protocol):
    """A client whose dispatches may have spans."""

    _tracing: Tracing | None


def current() -> tuple[str, str | None] | None:
    """The ``traceparent`` and ``tracestate`` of the current span, None without one; the core checks their format."""
    # A program that traces has imported it; one that has not pays nothing.
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return None
    parent = f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
    return parent, span.trace_state.to_header() or None


def dispatched(outcome: Outcome[Any], client: TracedClient) -> None:
    """A dispatch of a traced client is over; an error of its spans must not spoil it."""
    tracing = client._tracing
    if tracing is None:
        return
    try:
        tracing.dispatched(outcome)
    except Exception:
        logger.warning("no spans could be made of a dispatch", exc_info=True)
