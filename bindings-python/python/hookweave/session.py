"""Sessions: what hooks say is acted on, the same way in every language."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias, TypeVar

from . import _async_compat, _native
from ._logging import logger
from ._session_driver import Driver, DrivingClient, Passes, Summarise, run_now
from .approval import Answer, Approval, ApprovalRequest, Approver, PendingApprovals, fields_of
from .context import Context
from .display import Display
from .errors import (
    NoModelError,
    NotPicklableError,
    PayloadError,
    SessionClosedError,
    SubagentBlockedError,
    UnknownApprovalError,
    UnknownToolError,
)
from .event import Event
from .models import Model, OnText
from .open_model_call import OpenModelCall
from .open_tool_call import OpenToolCall
from .session_results import Compaction, Generation, Started, Stopped, Submitted, ToolOutcome
from .temporary_hook import TemporaryHook
from .tools import Tool, ToolFunction

if TYPE_CHECKING:
    from ._spans import ToolSpan

__all__ = ["Permission", "Session", "SessionClient", "ToolContext"]

T = TypeVar("T")

Permission: TypeAlias = Literal["allow", "ask", "deny"]
"""What the host makes of a tool before any hook is asked."""


class SessionClient(DrivingClient, Protocol):
    """The client of a session."""

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""

    @property
    def _model(self) -> Model | None: ...
    @property
    def _sessions(self) -> MutableMapping[str, Session]: ...
    def _temporary(
        self, event: str | type[Event], handler: Callable[[Any], Any], options: Mapping[str, Any]
    ) -> TemporaryHook: ...


def _check_call(method: str, tool: object, args: object) -> None:
    """Refuses a call without a tool's name, and arguments that have no names."""
    if not isinstance(tool, str):
        raise PayloadError(f"{method}: `tool` is the name of a tool, not a value of type {type(tool).__name__}")
    if not tool:
        raise PayloadError(f"{method}: `tool` is empty; give the name of the tool")
    if not isinstance(args, Mapping):
        hint = 'write {"command": …} for a command line' if isinstance(args, str) else 'write {"name": value}'
        kind = type(args).__name__
        raise PayloadError(
            f"{method}: `args` of {tool} are a dict of arguments by name, not a value of type {kind}; {hint}"
        )


def _as_given(answers: Mapping[str, Answer] | None) -> list[tuple[str, Any]] | None:
    """Answers as the core reads them."""
    if not answers:
        return None
    return [(id, fields_of(answer) if isinstance(answer, Approval) else answer) for id, answer in answers.items()]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool gets beside its arguments."""

    tool: str
    tool_use_id: str
    session: Session
    env: dict[str, str]
    """Variables that hooks left for tools and commands."""


class Session:
    """One conversation of an agent, or of a subagent within it; :meth:`HookClient.session` makes one.

    ``async with``, or ``with`` in code that is not async, starts and ends it. Its methods may run at the same time.
    Cancelling one cancels its work: the tool, the question to a person, the hooks.
    """

    __slots__ = (
        "__weakref__",
        "_approver",
        "_calls",
        "_children",
        "_client",
        "_closed",
        "_display",
        "_native",
        "_on_outcome",
        "_parent",
        "_running",
        "_tool",
        "context",
    )

    context: Context
    """Where the conversation is kept."""

    def __init__(
        self,
        client: SessionClient,
        native: _native.Session,
        approver: Approver | None,
        context: Context,
        display: Display,
        parent: Session | None = None,
        on_outcome: Callable[[_native.Outcome[Any]], object] | None = None,
    ) -> None:
        self._client = client
        self._native = native
        self._approver = approver
        self._display = display
        self._parent = parent
        self._on_outcome = on_outcome
        self._calls: set[OpenToolCall] = set()
        self._children: set[Session] = set()
        self._running: set[_async_compat.Scope] = set()
        self._closed = False
        self._tool: Tool | None = None
        self.context = context

    @property
    def id(self) -> str:
        """The conversation's id; a subagent has that of its conversation."""
        return self._native.id

    @property
    def agent_id(self) -> str | None:
        """The subagent's id; None for the conversation itself."""
        return self._native.agent_id

    @property
    def env(self) -> dict[str, str]:
        """Variables that hooks left for tools and commands."""
        return self._native.env()

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._closed

    async def start(self, source: str = "startup") -> Started:
        """Raises ``SessionStart`` or, for a subagent, ``SubagentStart``, which may refuse it."""
        return await self._start(source)

    async def _start(self, source: str, is_sync: bool = False) -> Started:
        is_subagent = self._parent is not None
        flow = self._native.start_subagent() if is_subagent else self._native.start(source)
        started = Started(**await self._run(flow, is_sync))
        if not started.accepted:
            self._close()
        elif self._parent is not None:
            if self._parent._closed:
                # It has ended while hooks were asked.
                self._close()
            self._parent._check()
            self._parent._children.add(self)
        return started

    async def end(self, reason: str = "other") -> Stopped:
        """Raises ``SessionEnd`` and forgets what was approved; subagents end first. The second time it does nothing.

        For a subagent it raises ``SubagentStop``: hooks may keep it at work, and then it has not ended.
        """
        if self._closed:
            return Stopped(False, None)
        return await self._end(reason, insists=False)

    async def _end(self, reason: str, insists: bool, is_sync: bool = False) -> Stopped:
        stopped = Stopped(False, None)
        self._drop_calls()
        if self._client.closed:
            # No hook runs any more.
            self._close()
            return stopped
        try:
            for child in list(self._children):
                await child._abort()
                await child._end(reason, insists=True, is_sync=is_sync)
            flow = self._native.end(reason) if self._parent is None else self._native.stop_subagent()
            stopped = Stopped(**await Driver(self, flow, is_sync=is_sync).drive())
        except BaseException:
            insists = True
            raise
        finally:
            if insists or not stopped.should_continue:
                self._close()
        return stopped

    def _close(self) -> None:
        """Ends it without running hooks."""
        self._closed = True
        self._drop_calls()
        for child in list(self._children):
            child._close()
            for scope in list(child._running):
                scope.end()
        if self._parent is not None:
            self._parent._children.discard(self)
        elif self._client._sessions.get(self.id) is self:
            del self._client._sessions[self.id]

    async def _abort(self) -> None:
        """Cancels what a subagent does, except what does this."""
        others = [scope for scope in self._running if not scope.is_own()]
        for scope in others:
            scope.end()
        for scope in others:
            await _async_compat.wait(scope.ended)

    def _check(self) -> None:
        if self._closed:
            what = f"session {self.id}" if self.agent_id is None else f"subagent {self.agent_id}"
            raise SessionClosedError(f"{what} has ended; open another one")

    async def _run(self, flow: _native.Flow, is_sync: bool = False) -> Any:
        running = Driver(self, flow, is_sync=is_sync).drive()
        return await (running if is_sync else self._guard(running))

    def _guard(self, running: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        """What a flow does; a subagent's ends with its session."""
        try:
            self._check()
        except SessionClosedError:
            running.close()
            raise
        return running if self._parent is None else self._scoped(running)

    async def _scoped(self, running: Coroutine[Any, Any, T]) -> T:
        scope = _async_compat.Scope()
        self._running.add(scope)
        try:
            return await scope.run(running)
        except _async_compat.ScopeAbortedError:
            raise SessionClosedError(f"subagent {self.agent_id} ended with its session") from None
        finally:
            self._running.discard(scope)

    async def submit_prompt(self, prompt: str) -> Submitted:
        """Submits a prompt: hooks may change or refuse it, and it goes into the context."""
        return Submitted(**await self._run(self._native.submit_prompt(prompt)))

    async def run_tool(
        self,
        tool: str,
        args: Mapping[str, Any],
        run: ToolFunction | None = None,
        *,
        tool_use_id: str | None = None,
        answers: Mapping[str, Answer] | None = None,
        passes: Passes = (),
    ) -> ToolOutcome:
        """Makes a tool call: hooks and, if need be, a person judge it, ``run`` runs it, hooks look at what came of it.

        ``run`` gets the final arguments as a dict of its own, and a :class:`ToolContext` if it takes a second
        parameter. It gives its output or a :class:`ToolResult`. Without it, the tool is the one that
        :meth:`HookClient.register_tool` made known.

        Raises :class:`ApprovalPending` if the approver raises :class:`Suspended`; nothing has happened then. Make the
        call again with its ``tool_use_id`` and with ``answers`` by the ids of questions. Errors of the classes in
        ``passes`` go through unchanged, from the approver and from the tool: the call counts as not begun.
        """
        if self._closed:
            self._check()
        if not tool or type(tool) is not str or type(args) is not dict:
            _check_call("run_tool", tool, args)
        if run is None and tool not in self._client._tools:
            known = ", ".join(self._client._tools) or "none"
            raise UnknownToolError(f"no tool `{tool}` is registered; known are: {known}")
        own = args if type(args) is dict else dict(args)
        driver, span = self._call(tool, own, tool_use_id, answers, passes)
        running = driver.use(None if run is None else self._as_tool(run))
        if self._parent is not None:
            running = self._guard(running)
        if span is None:
            return driver.tool_outcome(await running)
        try:
            with span.judging():
                outcome = driver.tool_outcome(await running)
        except BaseException as error:
            span.broken(error)
            raise
        span.ended(outcome)
        return outcome

    async def begin_tool(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        tool_use_id: str | None = None,
        answers: Mapping[str, Answer] | None = None,
        passes: Passes = (),
    ) -> OpenToolCall:
        """Makes the first half of a tool call: hooks and, if need be, a person judge it; the caller runs the tool.

        Where a tool is one function, :meth:`run_tool` does both halves. Arguments and errors are those of it.
        """
        call = self._open(tool, args, tool_use_id, answers, passes)
        await call._go(call._driver.judge())
        return call

    def _open(
        self,
        tool: str,
        args: Mapping[str, Any],
        tool_use_id: str | None,
        answers: Mapping[str, Answer] | None,
        passes: Passes,
        is_sync: bool = False,
    ) -> OpenToolCall:
        self._check()
        _check_call("begin_tool", tool, args)
        own = dict(args)
        driver, span = self._call(tool, own, tool_use_id, answers, passes, is_sync)
        return OpenToolCall(self, driver, own, span)

    def _call(
        self,
        tool: str,
        args: dict[str, Any],
        tool_use_id: str | None,
        answers: Mapping[str, Answer] | None,
        passes: Passes,
        is_sync: bool = False,
    ) -> tuple[Driver, ToolSpan | None]:
        """What carries out a tool call, and what tells of it if the client traces."""
        driver = Driver(self, self._native.run_tool(tool, args, tool_use_id, _as_given(answers)), is_sync=is_sync)
        driver.passes = passes
        tracing = self._client._tracing
        return driver, None if tracing is None else tracing.tool(self._native, tool, tool_use_id)

    def begin_tool_sync(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        tool_use_id: str | None = None,
        answers: Mapping[str, Answer] | None = None,
        passes: Passes = (),
    ) -> OpenToolCall:
        """:meth:`begin_tool` for code that is not async; raises :class:`AwaitableInSyncDispatchError` before any hook
        has run if one is async.
        """
        call = self._open(tool, args, tool_use_id, answers, passes, is_sync=True)
        run_now(call._go(call._driver.judge()), "begin_tool_sync")
        return call

    async def begin_model(
        self, prompt: str, *, system_prompt: str | None = None, tools: Iterable[Any] = ()
    ) -> OpenModelCall:
        """Makes the first half of a call of the model: hooks and, if need be, a person judge it; the caller calls it.

        Without a system prompt it is the session's; ``tools`` are the names of those that the model may call.
        """
        call = self._ask(prompt, system_prompt, tools)
        await call._go(call._driver.ask())
        return call

    def begin_model_sync(
        self, prompt: str, *, system_prompt: str | None = None, tools: Iterable[Any] = ()
    ) -> OpenModelCall:
        """:meth:`begin_model` for code that is not async."""
        call = self._ask(prompt, system_prompt, tools, is_sync=True)
        run_now(call._go(call._driver.ask()), "begin_model_sync")
        return call

    def _ask(
        self, prompt: str, system_prompt: str | None, tools: Iterable[Any], is_sync: bool = False
    ) -> OpenModelCall:
        self._check()
        flow = self._native.call_model(prompt, system_prompt, list(tools))
        return OpenModelCall(self, Driver(self, flow, is_sync=is_sync))

    def start_sync(self, source: str = "startup") -> Started:
        """:meth:`start` for code that is not async."""
        self._check()
        return run_now(self._start(source, is_sync=True), "start_sync")

    def end_sync(self, reason: str = "other") -> Stopped:
        """:meth:`end` for code that is not async."""
        if self._closed:
            return Stopped(False, None)
        return run_now(self._end(reason, insists=False, is_sync=True), "end_sync")

    def submit_prompt_sync(self, prompt: str) -> Submitted:
        """:meth:`submit_prompt` for code that is not async."""
        self._check()
        return Submitted(**run_now(self._run(self._native.submit_prompt(prompt), is_sync=True), "submit_prompt_sync"))

    def stop_sync(self, last_message: str | None = None, status: str = "completed", **details: Any) -> Stopped:
        """:meth:`stop` for code that is not async."""
        self._check()
        return run_now(self._stop(last_message, status, details, is_sync=True), "stop_sync")

    def _drop_calls(self) -> None:
        """Drops the calls whose tools are still to run: nobody will say any more what came of them."""
        for call in list(self._calls):
            call.drop()

    def _tool_context(self, tool: str, tool_use_id: str, env: dict[str, str]) -> ToolContext:
        return ToolContext(tool, tool_use_id, self, env)

    def _as_tool(self, run: ToolFunction) -> Tool:
        """A function as a tool; one that is given again and again is looked at once."""
        tool = self._tool
        if tool is None or tool.function is not run:
            tool = self._tool = Tool(run)
        return tool

    async def generate(self, prompt: str, *, on_text: OnText | None = None) -> Generation:
        """Answers a prompt with the client's model and tools, until there is nothing left to do.

        ``on_text`` gets the text piece by piece if the model streams it (:attr:`ModelRequest.on_text`).
        """
        self._check()
        if self._client._model is None:
            raise NoModelError("no model is registered; call register_model first")
        flow, tracing = self._native.generate(prompt, list(self._client._tools)), self._client._tracing
        driver = Driver(self, flow, on_text) if tracing is None else tracing.driver(self, flow, on_text)
        driver.model = self._client._model
        generation: Generation = await self._guard(driver.generate())
        return generation

    async def compact(
        self, summarise: Summarise, *, trigger: str = "manual", custom_instructions: str | None = None
    ) -> Compaction:
        """Makes the context shorter: what ``summarise(messages, instructions)`` says takes the place of old messages.

        Hooks may refuse or add instructions. The model's instructions, messages whose metadata says ``pinned``, and the
        most recent ones (the session's ``keep_recent``) stay. None are given where the host keeps them.
        """
        driver = Driver(self, self._native.compact(trigger, custom_instructions))
        driver.summarise = summarise
        return Compaction(**await self._guard(driver.drive()))

    async def note_usage(self, tokens: int) -> None:
        """Reports how many tokens the context holds; raises ``ContextWarning`` once when it is nearly full."""
        await self._run(self._native.note_usage(tokens))

    async def notify(self, message: str, *, title: str | None = None, kind: str | None = None) -> list[str]:
        """Raises ``Notification``; returns the objections of hooks."""
        feedback: list[str] = (await self._run(self._native.notify(message, title, kind)))["feedback"]
        return feedback

    async def status_line(self, **fields: Any) -> str | None:
        """Asks hooks for a line about the agent's state; None when no hook has one."""
        line = (await self._run(self._native.status_line(fields)))["value"]
        return line if isinstance(line, str) else None

    async def suggest_files(self, query: str, suggestions: Iterable[Any] = ()) -> list[Any]:
        """Asks hooks for files that fit what the user has begun to type; ``suggestions`` when no hook answers."""
        given = list(suggestions)
        chosen = (await self._run(self._native.suggest_files(query, given)))["value"]
        return chosen if isinstance(chosen, list) else given

    async def stop(self, last_message: str | None = None, status: str = "completed", **details: Any) -> Stopped:
        """Raises ``Stop``: the agent has done its work; hooks may make it continue, with the reason in the context."""
        return await self._stop(last_message, status, details)

    async def _stop(
        self, last_message: str | None, status: str, details: dict[str, Any], is_sync: bool = False
    ) -> Stopped:
        self._drop_calls()
        fields = {"last_message": last_message, "status": status, **details}
        return Stopped(**await self._run(self._native.stop(fields), is_sync))

    async def stop_failure(self, error: str) -> None:
        """Raises ``StopFailure``: the agent has ended with an error."""
        await self._run(self._native.stop_failure(error))

    def subagent(self, agent_type: str, agent_id: str | None = None) -> Session:
        """A subagent with the same hooks, id, approvals and context, and turns of its own, in an ``async with``.

        Entering raises :class:`SubagentBlockedError` when a hook refuses it. It ends with its session at the latest,
        and what it does then ends with :class:`SessionClosedError`.
        """
        self._check()
        native = self._native.subagent(agent_type, agent_id)
        return Session(self._client, native, self._approver, self.context, self._display, self, self._on_outcome)

    async def dispatch(
        self, event: str, payload: Mapping[str, Any] | None = None, /, **fields: Any
    ) -> _native.Outcome[Any]:
        """Raises any other event, with the fields of all events of the session; the host acts on the outcome."""
        self._check()
        outcome = await self._client.dispatch(event, {**self._native.common(), **(payload or {}), **fields})
        self._tell(outcome)
        self._native.observe(outcome)
        return outcome

    def _tell(self, outcome: _native.Outcome[Any]) -> None:
        """Calls the listener to outcomes."""
        if self._on_outcome is not None:
            try:
                self._on_outcome(outcome)
            except Exception:
                logger.warning("a listener to outcomes failed", exc_info=True)

    def temporary_hook(self, event: str | type[Event], handler: Callable[[Any], Any], **options: Any) -> TemporaryHook:
        """A hook for the time of a block, for this session and its subagents; of a subagent for it alone."""
        matcher = {**(options.pop("matcher", None) or {}), "session": _native.exact_pattern(self.id)}
        if self.agent_id is not None:
            matcher["agent"] = _native.exact_pattern(self.agent_id)
        return self._client._temporary(event, handler, {**options, "matcher": matcher})

    def pending(self) -> list[ApprovalRequest]:
        """The questions that wait for a decision, oldest first; with ``approval="pending"``."""
        return self._approver.pending() if isinstance(self._approver, PendingApprovals) else []

    def decide(self, id: str, option: str, *, reason: str | None = None, args: Mapping[str, Any] | None = None) -> None:
        """Decides a pending question by one of its options, from any task or thread.

        ``reason`` is a sentence for the model; ``args`` replace the arguments of the call, which hooks check again.
        """
        if not isinstance(self._approver, PendingApprovals):
            raise UnknownApprovalError('nothing waits for approval: the session was not made with approval="pending"')
        self._approver.decide(id, option, reason=reason, args=args)

    def __enter__(self) -> Self:
        return self._entered(self.start_sync())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._closed:
            run_now(self._end("other", insists=True, is_sync=True), "__exit__")

    async def __aenter__(self) -> Self:
        return self._entered(await self.start())

    def _entered(self, started: Started) -> Self:
        if not started.accepted:
            reason = started.reason
            raise SubagentBlockedError(reason or "a hook refused to let the subagent begin", reason=reason)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, Exception):
            # Cancelled: no hook is asked any more.
            self._close()
        elif not self._closed:
            await self._end("other", insists=True)

    def __reduce__(self) -> tuple[Any, ...]:
        raise NotPicklableError("a session is bound to its client and cannot be pickled or copied; open another one")

    def __repr__(self) -> str:
        agent = "" if self.agent_id is None else f" of subagent {self.agent_id}"
        return f"<Session {self.id}{agent}, {'closed' if self._closed else 'open'}>"
