"""The spans of an agent's run: one for all of it, one for each call of its model, one for each of its tool calls."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.trace import INVALID_SPAN, SpanKind

from . import _async_compat
from ._session_driver import Driver, Effect
from ._spans import Judged, ToolSpan, about, fail, judging, kind_of, open_tool, within

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

    from . import _native
    from ._session_driver import DrivenSession
    from .models import Model, ModelRequest, OnText
    from .session_results import Generation

__all__ = ["AgentRun", "TracedDriver"]

_TOKENS: Final = (
    ("gen_ai.usage.input_tokens", ("input_tokens", "prompt_tokens")),
    ("gen_ai.usage.output_tokens", ("output_tokens", "completion_tokens")),
)
"""The attributes of usage, and what models call them."""


class TracedDriver(Driver):
    """A driver of a whole answer that records each effect in its spans."""

    __slots__ = ("_spans",)

    def __init__(self, session: DrivenSession, flow: _native.Flow, on_text: OnText | None, spans: AgentRun) -> None:
        super().__init__(session, flow, on_text)
        self._spans = spans

    async def drive(self) -> Any:
        """Runs the flow to its end; gives what it came to."""
        effect = self._flow.begin()
        while (do := effect["do"]) != "finish":
            with self._spans.carrying_out(effect, self._values):
                effect = await self._CARRIES_OUT[do](self, effect)
        return effect["result"]

    async def generate(self) -> Generation:
        """Runs the flow of a whole answer."""
        assert self.model is not None
        self.model = self._spans.listening(self.model)
        with self._spans.going_on():
            generation = await super().generate()
            self._spans.ended(generation)
        return generation


class _ModelCall(Judged):
    """The span of a call of the model, from the first hook that judges it to the last."""

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.made = False
        self.error: Exception | None = None

    def end(self) -> None:
        if self.error is not None:
            fail(self.span, kind_of(self.error))
        elif not self.made:
            self.span.set_attribute("error.type", "blocked")
            self.span.set_attribute("hook.blocked", True)
        self.span.end()


class AgentRun:
    """The spans of one ``generate``."""

    def __init__(self, tracer: Tracer, session: _native.Session, record_content: bool) -> None:
        self._tracer = tracer
        self._session = session
        self._record_content = record_content
        self._agent = Judged(INVALID_SPAN)
        self._model: _ModelCall | None = None
        self._tool: ToolSpan | None = None
        self._used: dict[str, int] = {}

    def _begin(self) -> None:
        attributes, kind = about(self._session, "invoke_agent"), self._session.agent_type
        if kind is not None:
            attributes["gen_ai.agent.name"] = kind
        name = "invoke_agent" if kind is None else f"invoke_agent {kind}"
        self._agent = Judged(self._tracer.start_span(name, attributes=attributes))

    @contextmanager
    def carrying_out(self, effect: Effect, values: list[Any]) -> Iterator[None]:
        """For the time in which an effect is carried out: below the call that it belongs to, or the run itself."""
        do = effect["do"]
        if do == "dispatch":
            with within(self._agent.span):
                self._raises(effect["event"], effect["payload"])
        elif do == "run_tool" and self._tool is not None:
            self._tool.given(effect["args"])
        elif do == "call_model" and self._model is not None:
            self._model.made = True
        elif do == "add_message" and effect["role"] == "tool":
            self._close_tool(effect, values)
        judged = self._tool or self._model or self._agent
        # What approvers and contexts dispatch is about something else; `executing` sets a tool's own part apart.
        with within(judged.span), judging(judged if do in ("dispatch", "run_tool") else None):
            yield
        if do == "dispatch" and effect["event"] in ("GenerateEnd", "GenerateError"):
            self._close_model()

    def _raises(self, event: str, payload: Mapping[str, Any]) -> None:
        """An event is about to be raised; some begin a call, and others add to it."""
        if event == "GenerateStart" and self._model is None:
            self._open_model(payload.get("model"))
        elif event == "ToolResolution":
            self._tool = open_tool(self._tracer, self._session, payload["tool"], self._record_content)
        elif self._tool is not None:
            if "tool_use_id" in payload:
                self._tool.named(payload["tool_use_id"])
            if "args" in payload:
                self._tool.given(payload["args"])

    def _open_model(self, model: object) -> None:
        attributes, name = about(self._session, "chat"), "chat"
        if isinstance(model, str) and model:
            name = f"chat {model}"
            attributes["gen_ai.request.model"] = model
            self._agent.span.set_attribute("gen_ai.request.model", model)
        self._model = _ModelCall(self._tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes))

    def _close_model(self) -> None:
        if self._model is not None:
            self._model.end()
            self._model = None

    def _close_tool(self, effect: Effect, values: list[Any]) -> None:
        """The model is about to get the result of a call: it is over."""
        tool, details = self._tool, effect["metadata"]
        if tool is None:
            return
        tool.named(details["tool_use_id"])
        tool.decided(details["decision"], details.get("by"), ok=details["success"])
        if effect["value"] is not None and tool.ran:
            tool.gave(values[effect["value"]].get("output"))
        tool.span.end()
        self._tool = None

    def listening(self, model: Model) -> Model:
        """The same model, with its usage and its failure recorded."""

        async def observed(request: ModelRequest) -> Any:
            try:
                given: Any = model(request)
                if inspect.isawaitable(given):
                    given = await _async_compat.finish(given)
            except Exception as error:
                if self._model is not None:
                    self._model.error = error
                raise
            self._uses(given.get("usage") if isinstance(given, Mapping) else getattr(given, "usage", None))
            return given

        return observed

    def _uses(self, usage: object) -> None:
        if self._model is None or not isinstance(usage, Mapping):
            return
        for attribute, names in _TOKENS:
            tokens = next((usage[name] for name in names if name in usage), None)
            if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0:
                self._model.span.set_attribute(attribute, tokens)
                self._used[attribute] = self._used.get(attribute, 0) + tokens

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """For the time of the run; an exception that cuts it short is recorded in every open span."""
        self._begin()
        try:
            yield
        except BaseException as error:
            for judged in (self._tool, self._model, self._agent):
                if judged is not None:
                    fail(judged.span, kind_of(error))
            raise
        finally:
            for judged in (self._tool, self._model, self._agent):
                if judged is not None:
                    judged.span.end()

    def ended(self, generation: Generation) -> None:
        """Records the result of the run."""
        self._close_model()
        span, status = self._agent.span, generation.status
        span.set_attributes({"hookweave.status": status, **self._used})
        if status == "failed":
            fail(span, kind_of(generation.error))
        elif status == "limit":
            fail(span, status)
        elif status == "blocked":
            span.set_attribute("error.type", status)
            span.set_attribute("hook.blocked", True)
