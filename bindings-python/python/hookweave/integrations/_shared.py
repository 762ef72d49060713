"""What the adapters share: sessions by conversation, tool calls in halves, and what hooks tell the model."""

from __future__ import annotations

import inspect
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

from ..approval import Answer, Approval, ApprovalRequest
from ..client import HookClient
from ..errors import HookweaveError, PayloadError, SubagentBlockedError, Suspended
from ..models import Answer as ModelAnswer
from ..models import ModelRequest, record_of
from ..open_tool_call import OpenToolCall
from ..outcome import Injection
from ..session import Session
from ..session_results import ModelOutcome, Submitted, ToolOutcome
from ..tools import ToolResult

__all__ = [
    "Answered",
    "Closing",
    "ClosingNow",
    "Conversation",
    "Conversations",
    "Inside",
    "Placed",
    "PromptRefusedError",
    "Ran",
    "answers_of",
    "as_json",
    "as_text",
    "missing",
    "refusal_of",
]

KEPT: Final = 10_000
"""So many conversations are remembered; of more, the one that nobody has used for the longest time is forgotten."""


class PromptRefusedError(HookweaveError):
    """A hook refused a prompt, and the framework has no answer to give in place of the model's."""

    codes = ("prompt_refused",)


def missing(extra: str, error: ImportError) -> ImportError:
    """The error for a framework that is not installed, or is too old."""
    return ImportError(
        f"hookweave.integrations.{extra} needs the framework ({error}); "
        f'install it with: pip install "hookweave[{extra.replace("_", "-")}]"',
        name=error.name,
    )


def _suspend(request: ApprovalRequest) -> Answer:
    """An approver that leaves every question to the framework."""
    raise Suspended


def answers_of(said: Any) -> dict[str, Answer]:
    """What a person said, as a framework gives it back: ``id`` and ``option``, perhaps ``reason`` and ``args``."""
    if not isinstance(said, Mapping) or not isinstance(said.get("id"), str) or not isinstance(said.get("option"), str):
        raise PayloadError(
            'the answer to a question is {"id": …, "option": …} with the id of the question and one of its options; '
            f"it is {said!r}"
        )
    return {said["id"]: Approval(said["option"], reason=said.get("reason"), args=said.get("args"))}


def as_json(value: Any) -> Any:
    """A framework's value as hooks get it: JSON, with texts for what has no JSON form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(name): as_json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item) for item in value]
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return as_json(dump(mode="json"))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def as_text(value: Any) -> str:
    """What hooks made of an output, where the framework wants a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def refusal_of(outcome: ToolOutcome) -> str | None:
    """What the model is told of a call that did not run."""
    return None if outcome.ran else outcome.reason or f"{outcome.decision} by {outcome.by or 'a hook'}"


def _why(error: BaseException) -> str:
    return str(error) or type(error).__name__


class _Notes:
    """What hooks tell the model, until its next call takes it: a context that keeps nothing else."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[str] = []

    def add_message(self, role: str, content: Any, metadata: dict[str, Any], /) -> None:
        """Keeps what comes from hooks; the conversation itself is the framework's."""
        if metadata.get("source") == "hook":
            self.add(as_text(content))

    def add(self, text: str) -> None:
        with self._lock:
            self._waiting.append(text)

    def take(self) -> str | None:
        """All of it as one text, the same in every framework; each note is told once."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return "\n\n".join(taken) or None


class Placed:
    """Notes at their places, for a framework that makes what the model is given anew for each call."""

    def __init__(self) -> None:
        self._told: list[tuple[int, str]] = []

    def told(self, notes: str | None, length: int) -> list[tuple[int, str]]:
        """New notes, behind ``length`` messages, and all that were told before: in the order of insertion."""
        if notes is not None:
            self._told.append((length, notes))
        return self._told[::-1]


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a tool call."""

    outcome: ToolOutcome
    native: Any
    """What the framework's tool gave at last."""
    error: Exception | None
    """What it raised at last."""
    changed: bool
    """Whether hooks changed what it gave, or why it failed."""

    @property
    def refusal(self) -> str | None:
        """What the model is told of a call that did not run."""
        return refusal_of(self.outcome)

    def result(self, made: Callable[[Any, bool], Any]) -> Any:
        """What the framework's tool gave or raised; where hooks changed that, what ``made(output, failed)`` gives."""
        if (refusal := self.refusal) is not None:
            return made(refusal, True)
        if self.changed:
            return made(self.outcome.output, not self.outcome.ok)
        if self.error is not None:
            raise self.error
        return self.native


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a call of the model."""

    outcome: ModelOutcome
    native: Any
    """What the framework's model answered at last."""
    changed: bool
    """Whether hooks changed the answer."""

    def result(self, made: Callable[[str, list[dict[str, Any]]], Any]) -> Any:
        """What the framework's model answered; where hooks changed or refused it, what ``made(text, calls)`` gives."""
        outcome = self.outcome
        if outcome.status == "failed":
            raise outcome.error or PayloadError(outcome.reason or "the response of the model cannot be used")
        if outcome.response is None:
            return made(outcome.reason or "a hook refused the call of the model", [])
        if outcome.status == "stopped":
            # The turn ends here: a call of a tool would have no result.
            return made(outcome.text, [])
        return made(outcome.text, outcome.response["tool_calls"]) if self.changed else self.native


class Conversation:
    """A framework's conversation, or a subagent in it."""

    def __init__(self, client: HookClient, session: Session, notes: _Notes) -> None:
        self.client = client
        self.session = session
        self.notes = notes
        self.stopped: str | None = None
        """Why a hook has ended the agent's turn; the adapter forgets it when the next one begins."""
        self._started = False

    @property
    def is_subagent(self) -> bool:
        """Whether it runs within a tool call of another one."""
        return self.session.agent_id is not None

    def subagent(self, kind: str, id: str | None = None) -> Conversation:
        """A subagent in it, with notes of its own."""
        session, notes = self.session.subagent(kind, id), _Notes()
        session.context = notes
        return Conversation(self.client, session, notes)

    async def start(self, source: str, *, sync: bool = False) -> None:
        """Raises ``SessionStart``, or ``SubagentStart``, the first time."""
        if self._started:
            return
        self._started = True
        session = self.session
        started = session.start_sync(source) if sync else await session.start(source)
        if not started.accepted:
            kind = SubagentBlockedError if self.is_subagent else PromptRefusedError
            raise kind(started.reason or "a hook refused to let the agent begin")

    async def submit(self, prompt: str, *, sync: bool = False) -> Submitted:
        """Submits a prompt."""
        return self.session.submit_prompt_sync(prompt) if sync else await self.session.submit_prompt(prompt)

    async def goes_on(self, last_message: str | None, *, sync: bool = False) -> bool:
        """Raises ``Stop``, or ``SubagentStop``: whether hooks keep the agent at work; the reason is in the notes."""
        if self.stopped is not None:
            return False
        session = self.session
        if self.is_subagent:
            stopped = session.end_sync() if sync else await session.end()
        else:
            stopped = session.stop_sync(last_message) if sync else await session.stop(last_message)
        return stopped.should_continue

    async def next_prompt(self, last_message: str | None) -> str | None:
        """What the agent is to go on with, if :meth:`goes_on` says that it is."""
        return self.notes.take() or "a hook wants you to continue" if await self.goes_on(last_message) else None

    async def refuses(self, prompt: str) -> tuple[str | None, str]:
        """Submits a prompt: why it is refused, and what hooks made of it; the turn is stopped if it is refused."""
        submitted = await self.submit(prompt)
        if not submitted.accepted:
            self.stopped = submitted.reason or "a hook refused the prompt"
        return None if submitted.accepted else self.stopped, submitted.prompt

    async def run_tool(
        self,
        tool: str,
        args: Mapping[str, Any],
        tool_use_id: str | None,
        run: Callable[[dict[str, Any] | None], Any],
        *,
        seen: Callable[[Any], Any] = as_json,
        sync: bool = False,
        answers: Mapping[str, Answer] | None = None,
        passes: tuple[type[BaseException], ...] = (),
        begun: OpenToolCall | None = None,
    ) -> Ran:
        """Makes a tool call; ``run`` gets the arguments if hooks changed them.

        ``seen`` says what hooks see of a result. What ``run`` raises of the classes in ``passes`` goes through, and the
        call counts as not begun. One that was judged before is ``begun``.
        """
        call = begun or await self.judge(tool, as_json(args), tool_use_id, sync=sync, answers=answers, passes=passes)
        native, error, shown = None, None, None
        try:
            while call.runs:
                native, error = None, None
                try:
                    native = await _run_inside(self, run, call.args if call.changed("args") else None, sync)
                except passes:
                    raise
                except Exception as raised:
                    error, shown = raised, _why(raised)
                    call.failed_sync(raised) if sync else await call.failed(raised)
                else:
                    result = seen(native)
                    shown = result.output if isinstance(result, ToolResult) else result
                    call.succeeded_sync(result) if sync else await call.succeeded(result)
        except BaseException:
            call.drop()
            raise
        return Ran(self.note(call), native, error, call.outcome.ran and call.outcome.output != shown)

    async def judge(
        self,
        tool: str,
        args: Mapping[str, Any],
        tool_use_id: str | None,
        *,
        sync: bool = False,
        answers: Mapping[str, Answer] | None = None,
        passes: tuple[type[BaseException], ...] = (),
    ) -> OpenToolCall:
        """The first half of a tool call alone."""
        if sync:
            return self.session.begin_tool_sync(tool, args, tool_use_id=tool_use_id, answers=answers, passes=passes)
        return await self.session.begin_tool(tool, args, tool_use_id=tool_use_id, answers=answers, passes=passes)

    async def call_model(
        self,
        asked: tuple[str, str | None, list[str]],
        run: Callable[[ModelRequest], Any],
        seen: Callable[[Any], ModelAnswer],
        *,
        sync: bool = False,
    ) -> Answered:
        """Calls the model with a prompt, instructions and names of tools; ``run`` gets them as hooks left them.

        ``seen`` says what hooks see of an answer. A refusal and a stop end the turn.
        """
        session, (prompt, system, tools) = self.session, asked
        if sync:
            call = session.begin_model_sync(prompt, system_prompt=system, tools=tools)
        else:
            call = await session.begin_model(prompt, system_prompt=system, tools=tools)
        native, shown = None, None
        while call.runs:
            try:
                native = run(call.request)
                native = await native if not sync and inspect.isawaitable(native) else native
                shown = seen(native)
            except Exception as raised:
                call.failed_sync(raised) if sync else await call.failed(raised)
            else:
                call.answered_sync(shown) if sync else await call.answered(shown)
        outcome = call.outcome
        if outcome.status in ("blocked", "stopped"):
            self.stopped = outcome.reason or "a hook stopped the agent"
        left = {**(outcome.response or {}), "duration": None}
        return Answered(outcome, native, shown is not None and left != {**record_of(shown, 0), "duration": None})

    def note(self, call: OpenToolCall) -> ToolOutcome:
        """Keeps what a call that is over has for the model and for the turn."""
        outcome = call.outcome
        for text in outcome.feedback:
            self.notes.add(text)
        if outcome.stops:
            self.stopped = outcome.reason or next(iter(outcome.feedback), "a hook stopped the agent")
        return outcome


class Inside:
    """A tool while it runs: an agent of the same client that runs in it is a subagent."""

    _current: ContextVar[Inside | None] = ContextVar("hookweave_inside", default=None)

    def __init__(self, parent: Conversation) -> None:
        """The tool runs from here on, in this task or thread and in those that it begins."""
        self.parent = parent
        self._outer = self._current.get()
        self._runs = True
        self._children: dict[tuple[str, str | None], Conversation] = {}
        self._lock = threading.Lock()
        self._current.set(self)

    @classmethod
    def of(cls, client: HookClient) -> Inside | None:
        """The tool of a client in which this runs."""
        inside = cls._current.get()
        while inside is not None and not inside._runs:
            inside = inside._outer
        return inside if inside is not None and inside.parent.client is client else None

    def child(self, kind: str, id: str | None) -> Conversation:
        """The subagent that a conversation in here is."""
        with self._lock:
            found = self._children.get((kind, id))
            if found is None or found.session.closed:
                found = self._children[kind, id] = self.parent.subagent(kind)
            return found

    async def leave(self, failed: BaseException | None, *, sync: bool = False) -> None:
        """The tool has run: its subagents end."""
        self._runs = False
        if self._current.get() is self:
            self._current.set(self._outer)
        kind = None if failed is None else type(failed)
        for child in self._children.values():
            if sync:
                child.session.__exit__(kind, failed, None)
            else:
                await child.session.__aexit__(kind, failed, None)


async def _run_inside(
    parent: Conversation, run: Callable[[dict[str, Any] | None], Any], args: dict[str, Any] | None, sync: bool
) -> Any:
    inside = Inside(parent)
    failed: BaseException | None = None
    try:
        native = run(args)
        return await native if not sync and inspect.isawaitable(native) else native
    except BaseException as error:
        failed = error
        raise
    finally:
        await inside.leave(failed, sync=sync)


class Conversations:
    """The sessions of a framework's conversations, by the framework's ids for them."""

    def __init__(self, client: HookClient, approval: Any, options: Mapping[str, Any], asks: str | None = None) -> None:
        """With ``asks`` as the approval every question is left to the framework."""
        self.client = client
        self._options = {**options, "approval": _suspend if asks is not None and approval == asks else approval}
        self._open: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = threading.Lock()

    def inside(self) -> Conversation | None:
        """The conversation in one of whose tool calls this runs."""
        inside = Inside.of(self.client)
        return None if inside is None else inside.parent

    def of(self, id: str | None, kind: str = "agent") -> Conversation:
        """The conversation with this id, opened if need be; in a tool call the subagent that it is there.

        One without an id is new each time.
        """
        if (inside := Inside.of(self.client)) is not None:
            return inside.child(kind, id)
        with self._lock:
            found = None if id is None else self._open.get(id)
            if found is None or found.session.closed:
                found = self._opened(id)
            self._open.move_to_end(found.session.id)
            return found

    def _opened(self, id: str | None) -> Conversation:
        notes, told = _Notes(), self._options.get("on_outcome")

        def heard(outcome: Any) -> None:
            injections: list[Injection] = outcome.injections
            for one in injections:
                # A session keeps these for its own calls of a model.
                if one.ephemeral:
                    notes.add(one.content)
            if told is not None:
                told(outcome)

        session = self.client.session(id, **{**self._options, "context": notes, "on_outcome": heard})
        made = self._open[session.id] = Conversation(self.client, session, notes)
        idle = next((key for key, one in self._open.items() if not one.session._calls), None)
        if len(self._open) > KEPT and idle is not None and idle != session.id:
            del self._open[idle]
        return made

    def _taken(self) -> list[Session]:
        with self._lock:
            taken = [one.session for one in self._open.values()]
            self._open.clear()
        return taken

    async def aclose(self) -> None:
        """Raises ``SessionEnd`` for every conversation."""
        for session in self._taken():
            await session.end()

    def close(self) -> None:
        """:meth:`aclose` for code that is not async."""
        for session in self._taken():
            session.end_sync()


class Closing:
    """An adapter whose conversations are ended with it."""

    _conversations: Conversations

    async def aclose(self) -> None:
        """Raises ``SessionEnd`` for every conversation."""
        await self._conversations.aclose()


class ClosingNow(Closing):
    """One for code that is not async, too."""

    def close(self) -> None:
        """:meth:`aclose` for code that is not async."""
        self._conversations.close()
