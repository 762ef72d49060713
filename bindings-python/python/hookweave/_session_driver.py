"""Carries out what a flow of a session wants done; what comes next is the core's to say."""

from __future__ import annotations

import copy
import inspect
import json
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from time import perf_counter, sleep
from types import CoroutineType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

from . import _async_compat, _native
from ._approval_request import ApprovalPending
from ._logging import logger
from ._native import Outcome
from .approval import AllowAll, Approval, ApprovalRequest, Approver, CommandPart, DenyAll, fields_of
from .context import Context, ContextMessage
from .display import Display
from .errors import AwaitableInSyncDispatchError, HookweaveError, PayloadError, Suspended, ToolFailedError
from .models import Model, ModelRequest, OnText, record_of
from .outcome import Injection
from .session_results import Generation, ModelOutcome, ToolOutcome
from .tools import Tool, ToolResult

if TYPE_CHECKING:
    from ._spans import ToolSpan

__all__ = ["DrivenSession", "Driver", "DrivingClient", "Passes", "Summarise", "Tracing", "run_now", "why"]

Effect: TypeAlias = dict[str, Any]
"""What is to be done; ``do`` names it."""

Passes: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]
"""Errors that go through a tool call unchanged."""

Summarise: TypeAlias = Callable[[list[ContextMessage], str | None], Awaitable[str] | str]
"""Says what messages say in fewer words, given what to keep in mind."""


T = TypeVar("T")


def run_now(running: Coroutine[Any, Any, T], method: str, awaited: str | None = None) -> T:
    """The result of what never waits; :class:`AwaitableInSyncDispatchError` where the host's own code is async.

    ``awaited`` is the method's async twin; without it, its name without ``_sync``.
    """
    try:
        running.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    running.close()
    raise AwaitableInSyncDispatchError(
        f"{method}: the session's approver, context, display or tool is async, and this call does not await; "
        f"make it a plain function, or await `{awaited or method.removesuffix('_sync')}`"
    )


def _sleep(ms: int) -> None:
    """Waits on the caller's thread."""
    sleep(ms / 1000)


async def _replace_messages(context: Any, messages: list[Any]) -> None:
    """Gives the context its new messages; its method may be async."""
    replaced = context.replace_messages(messages)
    if inspect.isawaitable(replaced):
        await _async_compat.finish(replaced)


class Tracing(Protocol):
    """What makes the spans of a client."""

    def dispatched(self, outcome: _native.Outcome[Any]) -> None:
        """A dispatch is over."""

    def tool(self, session: _native.Session, tool: str, tool_use_id: str | None) -> ToolSpan:
        """A tool call begins."""

    def executing(self) -> AbstractContextManager[None]:
        """For the time in which the tool itself runs."""

    def driver(self, session: DrivenSession, flow: _native.Flow, on_text: OnText | None) -> Driver:
        """The driver of a flow in which a model is called."""


class DrivingClient(Protocol):
    """The client of the session whose flows a driver carries out."""

    @property
    def dispatch(self) -> Callable[..., Awaitable[_native.Outcome[Any]]]: ...
    @property
    def dispatch_sync(self) -> Callable[..., _native.Outcome[Any]]: ...
    @property
    def _tools(self) -> dict[str, Tool]: ...
    @property
    def _tracing(self) -> Tracing | None: ...


class DrivenSession(Protocol):
    """The session whose flows a driver carries out."""

    @property
    def id(self) -> str: ...
    @property
    def agent_id(self) -> str | None: ...
    @property
    def context(self) -> Context: ...
    @property
    def _native(self) -> _native.Session: ...
    @property
    def _client(self) -> DrivingClient: ...
    @property
    def _approver(self) -> Approver | None: ...
    @property
    def _display(self) -> Display: ...
    @property
    def _on_outcome(self) -> Callable[[Outcome[Any]], object] | None: ...
    def _tell(self, outcome: Outcome[Any]) -> None: ...
    def _tool_context(self, tool: str, tool_use_id: str, env: dict[str, str]) -> object: ...


def _ignore_text(text: str) -> None:
    """Takes the pieces of a response where they are not wanted."""


def why(error: BaseException) -> str:
    """What an error says, or what it is."""
    return str(error) or type(error).__name__


def _failed(error: BaseException) -> ToolResult:
    """The result of a tool that raised."""
    return ToolResult(why(error), success=False)


def _refused_args(response: Any) -> PayloadError | None:
    """The error for arguments in JSON text that have no Python form: ``int`` refuses integers of very many digits."""
    calls = response.get("tool_calls") if isinstance(response, Mapping) else None
    for index, call in enumerate(calls or ()):
        args = call.get("args") if isinstance(call, Mapping) else None
        try:
            if isinstance(args, str) and args:
                json.loads(args)
        except ValueError as error:
            place = f"`tool_calls[{index}].args` of the model's response, a call of {call.get('name')},"
            why = f"{place} is JSON that Python does not take ({error}); it must hold shorter integers"
            return PayloadError(why, "payload_not_json")
    return None


class _Part:
    """What belongs to one tool call of a flow."""

    __slots__ = ("cause", "outcomes")

    def __init__(self) -> None:
        self.outcomes: list[_native.Outcome[Any]] = []
        self.cause: BaseException | None = None


class Driver:
    """One flow on its way, with the host's own values that it is about.

    A sync one never waits: hooks run by ``dispatch_sync``, which refuses those that are async before any has run.
    """

    __slots__ = (
        "_cause",
        "_flow",
        "_found",
        "_on_text",
        "_outcomes",
        "_parts",
        "_pending",
        "_session",
        "_values",
        "is_sync",
        "model",
        "passes",
        "summarise",
        "tool",
    )

    is_sync: bool

    def __init__(
        self, session: DrivenSession, flow: _native.Flow, on_text: OnText | None = None, *, is_sync: bool = False
    ) -> None:
        self._session = session
        self._flow = flow
        self._values = flow.values
        self._outcomes: list[_native.Outcome[Any]] = []
        self._parts: list[_Part] = []
        self._cause: BaseException | None = None
        self._on_text = on_text or _ignore_text
        self.tool: Tool | None = None
        self.model: Model | None = None
        self.summarise: Summarise | None = None
        self._found: list[ContextMessage] = []
        self._pending: ApprovalRequest | None = None
        self.is_sync = is_sync
        self.passes: Passes = ()

    def _keep(self, value: Any) -> int:
        """Keeps a value for the time of the flow; gives its number."""
        self._values.append(value)
        return len(self._values) - 1

    async def drive(self) -> Any:
        """Runs the flow to its end; gives what it came to."""
        return (await self._go(self._flow.begin()))["result"]

    async def _go(self, effect: Effect, until: str = "finish") -> Effect:
        """Carries out effects up to the first of a kind, which is the caller's, or to the end."""
        dispatch = self._dispatch_sync if self.is_sync else self._session._client.dispatch
        try:
            while (do := effect["do"]) != "finish" and do != until:
                if do == "dispatch":
                    # Most effects are events, and a coroutine of their own would cost as much as the event.
                    try:
                        outcome = await dispatch(effect["event"], effect["payload"])
                    except PayloadError as error:
                        effect = self._refused(error)
                    else:
                        effect = self._dispatched(effect, outcome)
                else:
                    effect = await self._CARRIES_OUT[do](self, effect)
        except BaseException:
            # Now, and not when the last reference to it goes: a call that is left counts as not begun.
            self._flow.release()
            raise
        return effect

    def use(self, tool: Tool | None) -> Coroutine[Any, Any, dict[str, Any]]:
        """What runs the flow of one tool call, perhaps of a tool that only this call knows."""
        self.tool = tool
        self._parts.append(_Part())
        return self.drive()

    async def _dispatch_sync(self, event: str, payload: dict[str, Any]) -> _native.Outcome[Any]:
        return self._session._client.dispatch_sync(event, payload)

    async def judge(self) -> Effect:
        """Runs the flow of one tool call up to where its tool runs, or to its end."""
        self._parts.append(_Part())
        return await self._go(self._flow.begin(), "run_tool")

    async def ran(self, given: object, cause: BaseException | None, duration: float) -> Effect:
        """Goes on with what a tool gave that the caller has run, or with the error that it failed with."""
        self._parts[-1].cause = cause
        return await self._go(self._ran(given if cause is None else _failed(cause), duration), "run_tool")

    def drop(self) -> None:
        """Leaves the tool call where its tool runs: it counts as not begun."""
        self._flow.dropped()
        self._flow.release()

    def tool_outcome(self, run: dict[str, Any] | None) -> ToolOutcome:
        """What came of the one tool call; raises the question that is answered later."""
        if self._pending is not None:
            request = self._pending
            raise ApprovalPending(
                f"a person has to answer {request.prompt!r} about {request.tool} first; make the call again with "
                f"`answers` to {request.id}",
                request=request,
            )
        assert run is not None
        return self._tool_outcome(run, self._parts[0])

    async def ask(self) -> Effect:
        """Runs the flow of one call of the model up to where the model is called, or to its end."""
        return await self._go(self._flow.begin(), "call_model")

    async def answered(self, given: object, cause: BaseException | None, duration: float) -> Effect:
        """Goes on with what a model answered that the caller has called, or with the error that it failed with."""
        return await self._go(self._answered(given, cause, duration), "call_model")

    def model_outcome(self, run: dict[str, Any]) -> ModelOutcome:
        """What came of the one call of the model."""
        error = self._cause if run["status"] == "failed" else None
        return ModelOutcome(**run, error=error, outcomes=tuple(self._outcomes))

    async def generate(self) -> Generation:
        """Runs the flow of a whole answer."""
        result = await self.drive()
        tools = [self._tool_outcome(run, part) for run, part in zip(result["tools"], self._parts, strict=True)]
        return Generation(
            status=result["status"],
            text=result["text"],
            reason=result["reason"],
            model_calls=result["model_calls"],
            tools=tools,
            response=result["response"],
            error=self._cause if result["status"] == "failed" else None,
            outcomes=tuple(self._outcomes),
        )

    def _tool_outcome(self, run: dict[str, Any], part: _Part) -> ToolOutcome:
        """What the machine reports of a tool call, with what belongs to it here."""
        if run["error"] is not None:
            run["error"] = ToolFailedError(run["error"])
            run["error"].__cause__ = part.cause
        if run["injected"]:
            run["injected"] = [Injection(**injection) for injection in run["injected"]]
        run["outcomes"] = tuple(part.outcomes)
        return ToolOutcome._of(run)

    async def _dispatch(self, effect: Effect) -> Effect:
        try:
            outcome = await self._session._client.dispatch(effect["event"], effect["payload"])
        except PayloadError as error:
            return self._refused(error)
        return self._dispatched(effect, outcome)

    def _refused(self, error: PayloadError) -> Effect:
        """A model's arguments lack what a hook looks at: the call is refused, and the model reads why."""
        if error.code != "invalid_payload":
            raise error
        return self._flow.failed(str(error))

    def _dispatched(self, effect: Effect, outcome: _native.Outcome[Any]) -> Effect:
        """Keeps an outcome; one of a whole answer's tool calls begins when its tool is looked for."""
        if self._session._on_outcome is not None:
            self._session._tell(outcome)
        parts = self._parts
        self._outcomes.append(outcome)
        if effect["event"] == "ToolResolution":
            parts.append(_Part())
        if parts and "tool" in effect["payload"]:
            parts[-1].outcomes.append(outcome)
        return self._flow.dispatched(outcome)

    async def _freeze(self, effect: Effect) -> Effect:
        try:
            value, text, shown = _native.freeze(self._values[effect["value"]])
            if text is None:
                # There are things in it that are no JSON, and that other code may hold.
                value = copy.deepcopy(value)
        except Exception as error:
            return self._flow.failed(why(error))
        return self._flow.frozen(self._keep(value), text, shown)

    def _request(self, effect: Effect) -> ApprovalRequest:
        return ApprovalRequest(
            id=effect["id"],
            session_id=self._session.id,
            agent_id=self._session.agent_id,
            event=effect["event"],
            tool=effect["tool"],
            tool_use_id=effect["tool_use_id"],
            args=None if effect["args"] is None else copy.deepcopy(self._values[effect["args"]]),
            shown=effect["shown"],
            command=tuple(CommandPart(part["text"], part["met"]) for part in effect["command"]),
            hook=effect["hook"],
            why=effect["why"],
            reason=effect["reason"],
            prompt=effect["prompt"],
            options=tuple(effect["options"]),
            granting=tuple(effect["granting"]),
            timeout=effect["timeout_ms"] / 1000,
            default=effect["default"],
            remember=effect["remember"],
            persistent=effect["persistent"],
        )

    async def _approve(self, effect: Effect) -> Effect:
        session = self._session
        if session._approver is None:
            return self._flow.no_approver()
        if isinstance(session._approver, (AllowAll, DenyAll)):
            return self._flow.not_asked(isinstance(session._approver, AllowAll))
        try:
            request = self._request(effect)
            chosen: Any = session._approver(request)
            if inspect.isawaitable(chosen):
                if self.is_sync:
                    if inspect.iscoroutine(chosen):
                        chosen.close()
                    return self._flow.failed("the approver is async, and a call that is not awaited cannot wait for it")
                in_time, chosen = await _async_compat.within(request.timeout, chosen)
                if not in_time:
                    return self._flow.timed_out()
        except Suspended:
            return self._suspend(request)
        except self.passes:
            raise
        except Exception as error:
            logger.warning("the approver of session %s failed", session.id, exc_info=True)
            return self._flow.failed(why(error))
        if isinstance(chosen, Approval):
            chosen = fields_of(chosen)
        if not isinstance(chosen, (str, Mapping)):
            return self._flow.failed(f"an approver answers with one of the options, not with {chosen!r}")
        return self._flow.chosen(chosen)

    def _suspend(self, request: ApprovalRequest) -> Effect:
        """Puts a question off; a flow that cannot be made again goes on without an answer."""
        effect = self._flow.suspended()
        if effect["do"] == "finish" and effect["result"] is None:
            self._pending = request
        return effect

    async def _run_tool(self, effect: Effect) -> Effect:
        name = effect["tool"]
        tool = self.tool or self._session._client._tools.get(name)
        if tool is None:
            return self._flow.failed(f"no tool {name} is registered")
        context = None
        if tool.takes_context:
            context = self._session._tool_context(name, effect["tool_use_id"], effect["env"])
        part = self._parts[-1]
        part.cause = None
        tracing = self._session._client._tracing
        began = perf_counter()
        try:
            if tracing is None:
                given = tool(effect["args"], context)
                if type(given) is CoroutineType or inspect.isawaitable(given):
                    # What `_async_compat.finish` does, without a coroutine of its own.
                    requests = _native.cancel_requests()
                    try:
                        given = await given
                    except CancelledError as error:
                        _async_compat.raise_unless_asked(error, requests)
            else:
                with tracing.executing():
                    given = tool(effect["args"], context)
                    if inspect.isawaitable(given):
                        given = await _async_compat.finish(given)
        except self.passes:
            self._flow.dropped()
            raise
        except Exception as error:
            part.cause = error
            given = _failed(error)
        return self._ran(given, (perf_counter() - began) * 1000)

    def _ran(self, given: object, duration: float) -> Effect:
        """Tells the core what a tool gave; the duration is in milliseconds."""
        if not isinstance(given, ToolResult):
            return self._flow.ran({"success": True, "output": given, "duration": duration}, None, duration)
        record: dict[str, Any] = {"success": given.success, "output": given.output}
        if given.exit_code is not None:
            record["exit_code"] = given.exit_code
        record["duration"] = duration
        return self._flow.ran(record, None if given.success else _text(given.output), duration)

    def request(self, effect: Effect) -> ModelRequest:
        """What the model is to be given."""
        messages = list(getattr(self._session.context, "messages", ()))
        metadata = {"source": "hook", "ephemeral": True}
        messages += [ContextMessage(role, text, dict(metadata)) for role, text in effect["ephemeral"]]
        return ModelRequest(
            prompt=effect["prompt"],
            system_prompt=effect["system_prompt"],
            tools=effect["tools"],
            messages=messages,
            on_text=self._on_text,
        )

    async def _call_model(self, effect: Effect) -> Effect:
        assert self.model is not None
        began = perf_counter()
        cause, given = None, None
        try:
            given = self.model(self.request(effect))
            if inspect.isawaitable(given):
                given = await _async_compat.finish(given)
        except Exception as error:
            cause = error
        return self._answered(given, cause, (perf_counter() - began) * 1000)

    def _answered(self, given: object, cause: BaseException | None, duration: float) -> Effect:
        """Tells the core what the model answered, or why it failed; the duration is in milliseconds."""
        if cause is None:
            try:
                response = _native.owned(record_of(given, duration))
            except Exception as error:
                cause = error
            else:
                return self._responded(self._keep(response))
        self._cause = cause
        return self._flow.failed(why(cause))

    async def _read_response(self, effect: Effect) -> Effect:
        return self._responded(effect["response"])

    def _responded(self, number: int) -> Effect:
        """Has the core read a response, which hooks may have changed."""
        try:
            return self._flow.responded(number, self._session._client._tools)
        except HookweaveError as error:
            refused = _refused_args(self._values[number]) if error.code == "payload_not_json" else None
            if refused is not None:
                refused.__cause__ = error
            self._cause = refused or error
            return self._flow.failed(why(self._cause))

    async def _read_context(self, effect: Effect) -> Effect:
        context = self._session.context
        try:
            self._found = list(getattr(context, "messages", ()))
            if not self._found:
                return self._flow.done()
            if not callable(getattr(context, "replace_messages", None)):
                return self._flow.failed("the context has no `replace_messages`, and cannot be made shorter")
            shown = [
                {"role": message.role, "content": message.content, "metadata": dict(message.metadata)}
                for message in self._found
            ]
            speakers = [(message.role, message.metadata.get("pinned") is True) for message in self._found]
        except Exception as error:
            logger.warning("the context of session %s failed", self._session.id, exc_info=True)
            return self._flow.failed(why(error))
        return self._flow.context(shown, speakers)

    async def _replace_context(self, effect: Effect) -> Effect:
        context: Any = self._session.context
        before, after = ([self._found[place] for place in effect[part]] for part in ("before", "after"))
        summary = ContextMessage("user", effect["summary"], effect["metadata"])
        try:
            # What has come in meanwhile stays behind all of it.
            newer = list(context.messages)[len(self._found) :]
            await _replace_messages(context, [*before, summary, *after, *newer])
        except Exception as error:
            logger.warning("the context of session %s failed", self._session.id, exc_info=True)
            return self._flow.failed(why(error))
        return self._flow.done()

    async def _replace_prompt(self, effect: Effect) -> Effect:
        context: Any = self._session.context
        try:
            messages = list(getattr(context, "messages", ()))
            if not messages:
                return self._flow.done()
            if not callable(getattr(context, "replace_messages", None)):
                return self._flow.failed("the context has no `replace_messages`; add it")
            for place in reversed(range(len(messages))):
                message = messages[place]
                if (
                    message.role == "user"
                    and message.content == effect["prompt"]
                    and message.metadata.get("source") == "user"
                ):
                    break
            else:
                return self._flow.failed("no message of the context is the prompt")
            messages[place] = ContextMessage("user", effect["changed"], message.metadata)
            await _replace_messages(context, messages)
        except Exception as error:
            logger.warning("the context of session %s failed", self._session.id, exc_info=True)
            return self._flow.failed(why(error))
        return self._flow.done()

    async def _summarise(self, effect: Effect) -> Effect:
        assert self.summarise is not None
        try:
            text: Any = self.summarise([self._found[place] for place in effect["gone"]], effect["custom_instructions"])
            if inspect.isawaitable(text):
                text = await _async_compat.finish(text)
        except Exception as error:
            logger.warning("making a summary for session %s failed", self._session.id, exc_info=True)
            return self._flow.failed(why(error))
        if not isinstance(text, str):
            return self._flow.failed(f"a summary is a text, not a value of type {type(text).__name__}")
        return self._flow.text(text)

    async def _wait(self, effect: Effect) -> Effect:
        if self.is_sync:
            _sleep(effect["ms"])
        else:
            await _async_compat.sleep(effect["ms"] / 1000)
        return self._flow.done()

    async def _add_message(self, effect: Effect) -> Effect:
        content = effect["content"]
        try:
            if content is None and effect["value"] is not None:
                content = _native.owned(self._values[effect["value"]])
            added = self._session.context.add_message(effect["role"], content, effect["metadata"])
            if inspect.isawaitable(added):
                await _async_compat.finish(added)
        except Exception as error:
            logger.warning("the context of session %s did not take a message", self._session.id, exc_info=True)
            return self._flow.failed(why(error))
        return self._flow.done()

    async def _show(self, effect: Effect) -> Effect:
        try:
            shown = self._session._display.show_message(effect["text"], effect["level"], effect["source"])
            if inspect.isawaitable(shown):
                await _async_compat.finish(shown)
        except Exception:
            logger.warning("the display of session %s failed on: %s", self._session.id, effect["text"], exc_info=True)
        return self._flow.done()

    _CARRIES_OUT: ClassVar[dict[str, Callable[[Driver, Effect], Awaitable[Effect]]]] = {
        "dispatch": _dispatch,
        "freeze": _freeze,
        "approve": _approve,
        "run_tool": _run_tool,
        "call_model": _call_model,
        "read_response": _read_response,
        "summarise": _summarise,
        "read_context": _read_context,
        "replace_context": _replace_context,
        "replace_prompt": _replace_prompt,
        "wait": _wait,
        "add_message": _add_message,
        "show": _show,
    }


def _text(output: object) -> str:
    """What a tool that failed has to say, as text."""
    if isinstance(output, str):
        return output
    return _native.freeze(output)[1] or str(output)
