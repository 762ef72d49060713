"""Where the caller stands in a distributed trace, if the program traces with OpenTelemetry."""

from __future__ import annotations

import sys

__all__ = ["current"]


def current() -> tuple[str, str | None] | None:
    """The ``traceparent`` and ``tracestate`` of the current span; None without one. The core holds them against the format."""
    # A program that traces has imported it; one that has not pays nothing.
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return None
    parent = f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
    return parent, span.trace_state.to_header() or None
