"""Spans of agents, their models and tools, dispatches and hooks, through the OpenTelemetry API of the program.

>>> from hookweave import HookClient
>>> from hookweave.telemetry import instrument
>>> client = HookClient()
>>> instrumentation = instrument(client)
>>> instrumentation.uninstrument()
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from . import _native

try:
    from opentelemetry import trace
except ImportError as _error:  # pragma: no cover
    raise ImportError("hookweave.telemetry needs the package opentelemetry-api; install it") from _error

from ._agent_spans import AgentRun, TracedDriver
from ._spans import ToolSpan, judged, judging, open_tool

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

    from ._session_driver import DrivenSession, Driver
    from .client import HookClient
    from .models import OnText
    from .outcome import TraceEntry

__all__ = ["Instrumentation", "ToolSpan", "instrument"]

_NANOSECONDS: Final = 1_000_000_000


def instrument(
    client: HookClient, *, tracer_provider: TracerProvider | None = None, record_content: bool = False
) -> Instrumentation:
    """Makes spans of what a client does from now on, with the program's tracer provider unless another one is given.

    After the GenAI conventions a session's ``generate`` is a span ``invoke_agent``. Below it each call of the model is
    a span ``chat MODEL``, each tool call a span ``execute_tool NAME``; so is ``run_tool`` by itself. Each hook is a
    child of what it judged; any other dispatch is a span ``hook.dispatch`` with its hooks below. ``record_content``
    adds the arguments and the result of tool calls, without the secrets in them.
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
        if judged() is not None:
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

    def tool(self, session: _native.Session, tool: str, tool_use_id: str | None) -> ToolSpan:
        """A tool call of a session begins; it ends with what came of it."""
        call = open_tool(self._tracer, session, tool, self._record_content)
        if tool_use_id is not None:
            call.named(tool_use_id)
        return call

    @contextmanager
    def executing(self) -> Iterator[None]:
        """The tool itself runs, and what it dispatches is not about its own call."""
        call = judged()
        if isinstance(call, ToolSpan):
            call.began()
        with judging(None):
            try:
                yield
            except Exception as error:
                if isinstance(call, ToolSpan):
                    call.failed(error)
                raise

    def driver(self, session: DrivenSession, flow: _native.Flow, on_text: OnText | None) -> Driver:
        """Who carries out a flow in which a model is called, with a span for all of it and one for each call."""
        return TracedDriver(session, flow, on_text, AgentRun(self._tracer, session._native, self._record_content))
