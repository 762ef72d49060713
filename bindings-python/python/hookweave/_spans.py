"""What the spans of tool calls and of whole agents have in common."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from opentelemetry import trace

from . import _native
from .errors import SessionClosedError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

    from .session_results import ToolOutcome

__all__ = ["Judged", "ToolSpan", "about", "fail", "judged", "judging", "kind_of", "open_tool", "within"]

CANCELLED = "cancelled"
"""The ``error.type`` of what was given up."""


class Judged:
    """A span of something that hooks judge: theirs are its children."""

    def __init__(self, span: Span) -> None:
        self.span = span


_judged: ContextVar[Judged | None] = ContextVar("hookweave_judged", default=None)


def judged() -> Judged | None:
    """What the hooks judge that are run right now, if it has a span."""
    return _judged.get()


@contextmanager
def judging(what: Judged | None) -> Iterator[None]:
    """For the time in which hooks judge it; None, for the time in which code runs whose dispatches are about others."""
    token = _judged.set(what)
    try:
        yield
    finally:
        _judged.reset(token)


def within(span: Span) -> AbstractContextManager[Span]:
    """Makes a span the current one; its end is recorded elsewhere."""
    return trace.use_span(span, end_on_exit=False, record_exception=False, set_status_on_exception=False)


def kind_of(error: BaseException | None) -> str:
    """The ``error.type`` of an exception: never its message, which may say anything."""
    if error is None:
        return "_OTHER"
    is_cancelled = isinstance(error, (asyncio.CancelledError, GeneratorExit, SessionClosedError))
    return CANCELLED if is_cancelled or type(error).__name__ == "Cancelled" else type(error).__qualname__


def fail(span: Span, kind: str) -> None:
    """Says that what a span is about has failed."""
    span.set_attribute("error.type", kind)
    span.set_status(trace.StatusCode.ERROR)


def about(session: _native.Session, operation: str) -> dict[str, Any]:
    """The attributes of everything that is done in a session."""
    attributes = {"gen_ai.operation.name": operation, "gen_ai.conversation.id": session.id}
    if session.agent_id is not None:
        attributes["gen_ai.agent.id"] = session.agent_id
    return attributes


class ToolSpan(Judged):
    """The span of a tool call."""

    def __init__(self, span: Span, record_content: bool) -> None:
        super().__init__(span)
        self._record_content = record_content
        self._cause: BaseException | None = None
        self.ran: bool = False

    def began(self) -> None:
        """Records that the tool runs, perhaps not for the first time."""
        self.ran, self._cause = True, None

    def failed(self, cause: BaseException) -> None:
        """Records what the tool raised."""
        self._cause = cause

    @contextmanager
    def judging(self) -> Iterator[None]:
        """For the time in which hooks judge the call or look at its result."""
        with within(self.span), judging(self):
            yield

    def broken(self, error: BaseException) -> None:
        """Ends it with an error that is not the tool's."""
        fail(self.span, kind_of(error))
        self.span.end()

    def left(self) -> None:
        """Ends it for a call that was left before its tool ran."""
        fail(self.span, CANCELLED)
        self.span.end()

    def named(self, tool_use_id: str) -> None:
        """Records the call's id."""
        self.span.set_attribute("gen_ai.tool.call.id", tool_use_id)

    def decided(self, decision: str, by: str | None, *, ok: bool) -> None:
        """Records the decision about the call and its result."""
        span = self.span
        span.set_attribute("hook.decision", decision)
        if not self.ran:
            span.set_attribute("error.type", "blocked")
            span.set_attribute("hook.blocked", True)
            if by is not None:
                span.set_attribute("hook.decided_by", by)
        elif not ok:
            fail(span, kind_of(self._cause))

    def given(self, args: object) -> None:
        """Records the arguments, which are recorded only where content is."""
        self._content("gen_ai.tool.call.arguments", args)

    def gave(self, output: object) -> None:
        """Records the result, which is recorded only where content is."""
        self._content("gen_ai.tool.call.result", output)

    def ended(self, outcome: ToolOutcome) -> None:
        """Records the result of a call that was made for itself."""
        self.named(outcome.tool_use_id)
        self.decided(outcome.decision, outcome.by, ok=outcome.ok)
        self.given(outcome.args)
        if outcome.ran:
            self.gave(outcome.output)
        self.span.end()

    def _content(self, name: str, value: object) -> None:
        if not self._record_content or not self.span.is_recording():
            return
        try:
            self.span.set_attribute(name, _native.redacted(json.dumps(value)))
        except (TypeError, ValueError):
            # What has no JSON form may hide secrets anywhere.
            self.span.set_attribute(name, f"<{type(value).__name__}>")


def open_tool(tracer: Tracer, session: _native.Session, tool: str, record_content: bool) -> ToolSpan:
    """The span of a tool call that begins."""
    attributes = {**about(session, "execute_tool"), "gen_ai.tool.name": tool, "gen_ai.tool.type": "function"}
    return ToolSpan(tracer.start_span(f"execute_tool {tool}", attributes=attributes), record_content)
