"""Spans of tool calls, dispatches and hooks, through the OpenTelemetry API of the program.

>>> from hookweave import HookClient
>>> from hookweave.telemetry import instrument
>>> client = HookClient()
>>> instrumentation = instrument(client)
>>> instrumentation.uninstrument()
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from . import _native

try:
    from opentelemetry import trace
except ImportError as error:  # pragma: no cover
    raise ImportError("hookweave.telemetry needs the package opentelemetry-api; install it") from error

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

    from .client import HookClient
    from .outcome import TraceEntry
    from .results import ToolOutcome
    from .session import Session

__all__ = ["Instrumentation", "ToolSpan", "instrument"]

_NANOSECONDS: Final = 1_000_000_000

_in_tool: ContextVar[bool] = ContextVar("hookweave_in_tool", default=False)
"""Whether hooks of a tool call are run right now, which are children of its span."""


def instrument(
    client: HookClient, *, tracer_provider: TracerProvider | None = None, record_content: bool = False
) -> Instrumentation:
    """Makes spans of what a client does from now on, with the program's tracer provider unless another one is given.

    A session's tool call is a span ``execute_tool NAME`` after the GenAI conventions, and each hook that ran for it a
    child; any other dispatch is a span ``hook.dispatch`` with its hooks below. ``record_content`` adds the arguments
    and the result of tool calls, without the secrets in them.
    """
    return Instrumentation(client, tracer_provider, record_content)


class Instrumentation:
    """Makes the spans of one client; another one for the same client takes its place."""

    def __init__(self, client: HookClient, provider: TracerProvider | None, record_content: bool) -> None:
        self._client = client
        self._record_content = record_content
        self._tracer = trace.get_tracer("hookweave", _native.__version__, provider)
        client._tracing = self
        client._set_traced(True)

    def uninstrument(self) -> None:
        """Makes no more spans."""
        if self._client._tracing is self:
            self._client._set_traced(False)
            self._client._tracing = None

    def dispatched(self, outcome: _native.Outcome[Any]) -> None:
        """A dispatch is over: its spans are made of the trace, so that hooks pay nothing for them."""
        entries = outcome.trace
        if not entries:
            return
        took = int(outcome.duration * _NANOSECONDS)
        began = time.time_ns() - took
        event = outcome.event
        if _in_tool.get():
            self._hooks(entries, event.event_type, began, took, None)
            return
        attributes: dict[str, Any] = {
            "hook.event": event.event_type,
            "hook.decision": outcome.decision,
            "hook.blocked": outcome.blocked,
        }
        about = (
            ("gen_ai.conversation.id", "session_id"),
            ("gen_ai.agent.id", "agent_id"),
            ("gen_ai.tool.name", "tool"),
        )
        for name, field in about:
            value = event.get(field)
            if isinstance(value, str):
                attributes[name] = value
        span = self._tracer.start_span("hook.dispatch", attributes=attributes, start_time=began)
        self._hooks(entries, event.event_type, began, took, span)
        span.end(began + took)

    def _hooks(self, entries: list[TraceEntry], event: str, began: int, took: int, parent: Span | None) -> None:
        """One span for each hook that ran. Where they ran together, which a trace does not say, all begin at once."""
        context = None if parent is None else trace.set_span_in_context(parent)
        in_turn = sum(entry.duration for entry in entries) * _NANOSECONDS <= took + 1000
        at = began
        for entry in entries:
            if entry.status == "skipped":
                continue
            lasted = int(entry.duration * _NANOSECONDS)
            attributes: dict[str, Any] = {
                "hook.name": entry.hook,
                "hook.id": entry.id,
                "hook.event": event,
                "hook.status": entry.status,
                "hook.action": entry.action,
            }
            if entry.modified:
                attributes["hook.modified"] = list(entry.modified)
            if entry.failure is not None:
                attributes["hook.failure.kind"] = attributes["error.type"] = entry.failure.kind
                attributes["hook.failure.became"] = entry.failure.became
            span = self._tracer.start_span(f"hook {entry.hook}", context, attributes=attributes, start_time=at)
            if entry.failure is not None:
                span.set_status(trace.StatusCode.ERROR, entry.failure.kind)
            span.end(at + lasted)
            if in_turn:
                at += lasted

    @contextmanager
    def tool(self, session: Session, tool: str, tool_use_id: str | None) -> Iterator[ToolSpan]:
        """A tool call of a session is under way, from its first hook to its last."""
        with self._span(session, tool, tool_use_id) as span, _tool(True):
            yield ToolSpan(span, self._record_content)

    @contextmanager
    def executing(self, session: Session, tool: str, tool_use_id: str | None) -> Iterator[ToolSpan]:
        """The tool itself runs, and what it dispatches is not about its own call.

        Where a model is asked in a loop, only this part of a call has a span.
        """
        if _in_tool.get():
            with _tool(False):
                yield ToolSpan(None, False)
            return
        with self._span(session, tool, tool_use_id) as span:
            yield ToolSpan(span, False)

    def _span(self, session: Session, tool: str, tool_use_id: str | None) -> AbstractContextManager[Span]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.conversation.id": session.id,
        }
        if tool_use_id is not None:
            attributes["gen_ai.tool.call.id"] = tool_use_id
        if session.agent_id is not None:
            attributes["gen_ai.agent.id"] = session.agent_id
        name = f"execute_tool {tool}"
        return self._tracer.start_as_current_span(name, attributes=attributes, record_exception=False)


@contextmanager
def _tool(inside: bool) -> Iterator[None]:
    token = _in_tool.set(inside)
    try:
        yield
    finally:
        _in_tool.reset(token)


class ToolSpan:
    """The span of a tool call."""

    def __init__(self, span: Span | None, record_content: bool) -> None:
        self._span = span
        self._record_content = record_content

    def ended(self, outcome: ToolOutcome) -> None:
        """Tells what came of the call."""
        span = self._span
        if span is None or not span.is_recording():
            return
        span.set_attribute("gen_ai.tool.call.id", outcome.tool_use_id)
        span.set_attribute("hook.decision", outcome.decision)
        if not outcome.ran:
            span.set_attribute("error.type", "blocked")
            span.set_attribute("hook.blocked", True)
            if outcome.by is not None:
                span.set_attribute("hook.decided_by", outcome.by)
        elif not outcome.ok:
            self.failed(None if outcome.error is None else outcome.error.__cause__)
        if self._record_content:
            self._content(span, "gen_ai.tool.call.arguments", outcome.args)
            if outcome.ran:
                self._content(span, "gen_ai.tool.call.result", outcome.output)

    def failed(self, cause: BaseException | None) -> None:
        """Tells that the tool failed."""
        if self._span is not None:
            self._span.set_attribute("error.type", "_OTHER" if cause is None else type(cause).__qualname__)
            self._span.set_status(trace.StatusCode.ERROR)

    @staticmethod
    def _content(span: Span, name: str, value: object) -> None:
        try:
            span.set_attribute(name, _native.redacted(json.dumps(value)))
        except (TypeError, ValueError):
            # What has no JSON form may hide secrets anywhere.
            span.set_attribute(name, f"<{type(value).__name__}>")
