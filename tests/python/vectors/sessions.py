"""Runs one case of tests/vectors/sessions and compares what came of it."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from hookweave import (
    ApprovalRequest,
    ContextMessage,
    HookClient,
    HookweaveError,
    ModelRequest,
    Outcome,
    Session,
    Suspended,
    TerminalQuestion,
    ToolContext,
    ToolOutcome,
    ToolResult,
)

from support import LIMIT, sleep

from .comparing import check, error_faults
from .file_hooks import Place
from .hooks import World
from .run import FOLDER, client_options
from .values import decode, fits

STYLES = ("sync", "async", "trio", "halves", "sync halves")
TOOL_FIELDS = (
    "tool ran ok output decision reason by args attempts feedback suppress_output stops tool_use_id result".split()  # noqa: SIM905
)


class LeavingError(Exception):
    """How a host leaves the call that asks."""


def session_cases() -> list[dict[str, Any]]:
    """Every case of every file."""
    files = sorted((FOLDER / "sessions").glob("*.json"))
    return [case for path in files for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def run_session_case(case: dict[str, Any], style: str) -> None:
    """Runs a case in a style: synchronous or asynchronous hooks on asyncio, asynchronous ones on trio.

    ``halves`` makes tool calls in halves, ``sync halves`` without awaiting anything.
    """
    play = _Play(case, style)
    if style == "trio":
        import trio

        async def limited() -> None:
            with trio.fail_after(LIMIT):
                await play.run()

        trio.run(limited)
    else:
        asyncio.run(asyncio.wait_for(play.run(), LIMIT))


def _nth(entries: list[Any], turn: int) -> Any:
    """The entry for a turn; the last one again and again."""
    return entries[min(turn, len(entries) - 1)] if entries else None


class Agent:
    """A scripted agent around a session: approver, context, display, tools and model in one."""

    def __init__(self, case: dict[str, Any], is_async: bool) -> None:
        self.case = case
        self.is_async = is_async
        self.asked: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        if "conversation" in case:
            self.messages = [ContextMessage(**message) for message in case["conversation"]]
        self.messages_added: list[dict[str, Any]] = []
        self.shown: list[dict[str, Any]] = []
        self.model_calls: list[dict[str, Any]] = []
        self.screens: list[str] = []

    async def _later(self, value: Callable[[], Any]) -> Any:
        await sleep(0)
        return value()

    def _give(self, value: Callable[[], Any]) -> Any:
        """What a part of the agent gives, now or to be awaited, as the style wants."""
        return self._later(value) if self.is_async else value()

    def approve(self, request: ApprovalRequest) -> Any:
        """The approver."""
        entry = _nth(self.case["approver"], len(self.asked))
        fields = asdict(request)
        fields["timeout_ms"] = fields.pop("timeout") * 1000
        self.asked.append(fields)
        if isinstance(entry, dict) and "hangs" in entry:
            return sleep(3600)

        def answer() -> Any:
            if isinstance(entry, dict) and "types" in entry:
                return self.at_terminal(request, entry)
            if isinstance(entry, dict) and "raises" in entry:
                raise RuntimeError(entry["raises"])
            if isinstance(entry, dict) and "suspends" in entry:
                raise Suspended
            if isinstance(entry, dict) and "leaves" in entry:
                raise LeavingError
            return entry

        return self._give(answer)

    def at_terminal(self, request: ApprovalRequest, entry: dict[str, Any]) -> str:
        """What a person at a terminal chooses who types these lines, and then nothing more."""
        question = TerminalQuestion(request, width=entry.get("width", 80), height=entry.get("height", 24))
        self.screens += [question.text, question.invitation(request.timeout)]
        for line in [*entry["types"], None]:
            option = question.read(line)
            if option is not None:
                return option
            self.screens.append(question.remark)
        raise AssertionError("the end of the input is no answer")

    def add_message(self, role: str, content: Any, metadata: dict[str, Any]) -> Any:
        """The context."""

        def add() -> None:
            if "context" in self.case:
                raise RuntimeError("the context is broken")
            if "conversation" in self.case:
                self.messages.append(ContextMessage(role, content, metadata))  # type: ignore[arg-type]
            self.messages_added.append({"role": role, "content": content, "metadata": metadata})

        return self._give(add)

    def replace_messages(self, messages: list[ContextMessage]) -> Any:
        """Makes the conversation shorter."""
        return self._give(lambda: self.messages.__setitem__(slice(None), messages))

    def show_message(self, text: str, level: str, source: str) -> Any:
        """The display."""
        return self._give(lambda: self.shown.append({"text": text, "level": level, "source": source}))

    def tool(self, name: str) -> Callable[[Any, ToolContext], Any]:
        """A tool that does what the case says."""

        def run(args: Any, context: ToolContext) -> Any:
            turn = sum(run["tool"] == name for run in self.tools)
            self.tools.append({"tool": name, "args": args, "env": context.env})
            listed = self.case.get("tools", {}).get(name, {"output": "ok"})
            entry = _nth(listed if isinstance(listed, list) else [listed], turn)

            def give() -> Any:
                if "raises" in entry:
                    raise RuntimeError(entry["raises"])
                if "fails" in entry:
                    return ToolResult(entry["fails"], success=False)
                return decode(entry["output"])

            return self._give(give)

        return run

    def model(self, request: ModelRequest) -> Any:
        """The model."""
        entry = _nth(self.case["model"], len(self.model_calls))
        passing = [{"role": message.role, "content": message.content} for message in request.messages]
        given = {"prompt": request.prompt, "system_prompt": request.system_prompt, "tools": request.tools}
        self.model_calls.append({**given, "ephemeral": passing})

        def give() -> Any:
            if "raises" in entry:
                raise RuntimeError(entry["raises"])
            return decode(entry)

        return self._give(give)


class _Client(HookClient):
    """A client that notes which events are raised."""

    __slots__ = ("events",)
    events: list[str]

    def dispatch(self, event: Any, /, *payload: Any, **fields: Any) -> Any:
        self.events.append(event)
        return super().dispatch(event, *payload, **fields)

    def dispatch_sync(self, event: Any, /, *payload: Any, **fields: Any) -> Any:
        self.events.append(event)
        return super().dispatch_sync(event, *payload, **fields)


class _Play:
    def __init__(self, case: dict[str, Any], style: str) -> None:
        self.place = Place(case) if "files" in case else None
        if self.place is not None:
            case = self.place.case
        self.case = case
        options = dict(case.get("client", {}))
        if self.place is not None:
            options["project_dir"] = self.place.project
        self.client = _Client(**client_options(options))
        self.client.events = []
        self.halves = style.endswith("halves")
        self.twins = style == "sync halves"
        is_sync = style.startswith("sync")
        self.world = World(self.client, "sync" if is_sync else "trio" if style == "trio" else "async")
        self.agent = Agent(case, not is_sync)
        self.blocks = ExitStack()
        self.others: list[Session] = []
        self.faults: list[str] = []
        for given in case.get("define_tools", []):
            self.client.define_tool(**given)
        for entry in case.get("load", []):
            assert self.place is not None
            check(self.place.report_faults(entry, self.place.load(self.client, entry)))
        for hook in case.get("hooks", []):
            self.world.register(hook)
        if "audit" in case:
            self.world.keep_log(case["audit"])
            self.world.take_records()
        for name in case.get("tools", {}):
            self.client.register_tool(name, self.agent.tool(name))
        if "model" in case:
            self.client.register_model(self.agent.model)

    async def run(self) -> None:
        """Takes the steps and checks what has happened."""
        try:
            await self._run()
        finally:
            if self.place is not None:
                self.place.close()

    def session(self, **given: Any) -> Session:
        """A session with the options of the case, and others."""
        options = {**self.case.get("session", {}), **given}
        if "approver" in self.case:
            options["approval"] = self.agent.approve
        if "cwd" in options and options["cwd"] is None:
            del options["cwd"]
        elif self.place is not None:
            options["cwd"] = self.place.project
        return self.client.session(context=self.agent, display=self.agent, **options)

    async def _run(self) -> None:
        session = self.session()
        with self.blocks:
            await self.steps(session, self.case["do"], "step")
        agent = self.agent
        came = {
            "events": self.client.events,
            "tools": agent.tools,
            "asked": agent.asked,
            "messages": agent.messages_added,
            "shown": agent.shown,
            "model_calls": agent.model_calls,
            "screens": agent.screens,
            "env": session.env,
            "ran": self.world.ran,
        }
        if "audit" in self.case:
            came["records"] = self.world.take_records()
        if "conversation" in self.case:
            came["conversation"] = [asdict(message) for message in agent.messages]
        expect = dict(self.case.get("expect", {}))
        placed = {name: expect.pop(name) for name in ("requests", "saw") if name in expect}
        if self.place is not None:
            self.faults += self.place.faults(placed)
        for name, pattern in expect.items():
            self.faults += fits(pattern, came[name], name)
        check([*self.faults, *self.world.faults])

    async def steps(self, session: Session, steps: list[dict[str, Any]], place: str) -> None:
        """Takes steps one after the other."""
        for number, step in enumerate(steps, 1):
            where = f"{place} {number}"
            try:
                came = await self.step(session, step, where)
            except HookweaveError as error:
                wanted = step.get("error")
                self.faults += [f"{where}: unexpected {error!r}"] if wanted is None else error_faults(wanted, error)
                continue
            if "error" in step:
                self.faults.append(f"{where}: not refused; expected {step['error']}, got {came!r}")
            if "expect" in step:
                self.faults += fits(step["expect"], came, where)

    async def step(self, session: Session, step: dict[str, Any], where: str) -> Any:
        """Takes one step; gives what it came to, in the canonical spelling."""
        ((deed, given),) = ((key, value) for key, value in step.items() if key not in ("expect", "error"))
        if deed == "subagent":
            return await self.subagent(session, given, where)
        if deed == "other_session":
            other = self.session(**{name: value for name, value in given.items() if name != "do"})
            await self.steps(other, given["do"], where)
            self.others.append(other)
            return {"env": other.env}
        if deed == "temporary_hook":
            self.temporary_hook(session, given)
            return None
        do: Callable[[Session, Any], Awaitable[Any]] = getattr(self, f"do_{deed}")
        return await do(session, given)

    async def subagent(self, session: Session, given: dict[str, Any], where: str) -> dict[str, Any]:
        """Begins a subagent, takes its steps, and ends it."""
        child = session.subagent(given["type"], given.get("id"))
        started = child.start_sync() if self.twins else await child.start()
        if not started.accepted:
            return asdict(started)
        await self.steps(child, given["do"], where)
        stopped = child.end_sync() if self.twins else await child.end()
        return {"accepted": True, "should_continue": stopped.should_continue, "env": child.env}

    def temporary_hook(self, session: Session, hook: dict[str, Any]) -> None:
        """Registers a hook that is the session's own until the case ends."""
        register, self.world.client = self.world.client, _Local(session, self.blocks)  # type: ignore[assignment]
        try:
            self.world.register(hook)
        finally:
            self.world.client = register

    async def do_start(self, session: Session, source: str) -> Any:
        return asdict(session.start_sync(source) if self.twins else await session.start(source))

    async def do_end(self, session: Session, reason: str) -> None:
        if self.twins:
            session.end_sync(reason)
        else:
            await session.end(reason)

    async def do_submit_prompt(self, session: Session, prompt: str) -> Any:
        return asdict(session.submit_prompt_sync(prompt) if self.twins else await session.submit_prompt(prompt))

    async def do_call_model(self, session: Session, given: dict[str, Any]) -> Any:
        more = {"system_prompt": given.get("system_prompt"), "tools": given.get("tools", [])}
        begin = session.begin_model_sync if self.twins else session.begin_model
        call = begin(given["prompt"], **more)
        call = await call if inspect.isawaitable(call) else call
        while call.runs:
            try:
                response = self.agent.model(call.request)
                if inspect.isawaitable(response):
                    response = await response
            except RuntimeError as error:
                if self.twins:
                    call.failed_sync(error)
                else:
                    await call.failed(error)
                continue
            if self.twins:
                call.answered_sync(response)
            else:
                await call.answered(response)
        outcome = call.outcome
        return {name: getattr(outcome, name) for name in ("status", "reason", "text", "attempts", "response")}

    async def do_run_tool(self, session: Session, given: dict[str, Any]) -> Any:
        run = self.agent.tool(given["tool"])
        args = decode(given["args"])
        asked = self.agent.asked
        answers = {
            asked[answer["asked"]]["id"] if "asked" in answer else answer["id"]: answer["answer"]
            for answer in given.get("answers", ())
        }
        more = {"tool_use_id": given.get("tool_use_id"), "answers": answers, "passes": (LeavingError,)}
        try:
            if self.halves:
                return _shown(await self._run_halves(session, given["tool"], args, run, **more))
            return _shown(await session.run_tool(given["tool"], args, run, **more))
        except LeavingError:
            return {"left": True}

    async def _run_halves(self, session: Session, tool: str, args: Any, run: Any, **more: Any) -> Any:
        """The call as a framework makes it that says when a tool begins and when it has ended."""
        call = (
            session.begin_tool_sync(tool, args, **more) if self.twins else await session.begin_tool(tool, args, **more)
        )
        while call.runs:
            try:
                output = run(call.args, ToolContext(call.tool, call.tool_use_id, session, call.env))
                if inspect.isawaitable(output):
                    output = await output
            except LeavingError:
                call.drop()
                raise
            except Exception as error:
                if self.twins:
                    call.failed_sync(error)
                else:
                    await call.failed(error)
            else:
                if self.twins:
                    call.succeeded_sync(output)
                else:
                    await call.succeeded(output)
        return call.outcome

    async def do_generate(self, session: Session, prompt: str) -> Any:
        came = await session.generate(prompt)
        fields = {name: getattr(came, name) for name in ("status", "text", "reason", "model_calls", "response")}
        return {**fields, "tools": [_shown(item) for item in came.tools]}

    async def do_compact(self, session: Session, given: dict[str, Any]) -> Any:
        def summarise(messages: list[ContextMessage], custom: str | None) -> Any:
            if "raises" in given:
                raise RuntimeError(given["raises"])
            texts = ", ".join(str(message.content) for message in messages)
            text = given["summary"].replace("{instructions}", custom or "").replace("{messages}", texts)
            return self.agent._give(lambda: text)

        options = {name: given[name] for name in ("trigger", "custom_instructions") if name in given}
        return asdict(await session.compact(summarise, **options))

    async def do_note_usage(self, session: Session, tokens: int) -> None:
        await session.note_usage(tokens)

    async def do_notify(self, session: Session, given: dict[str, Any]) -> None:
        await session.notify(**given)

    async def do_status_line(self, session: Session, given: dict[str, Any]) -> Any:
        return await session.status_line(**given)

    async def do_suggest_files(self, session: Session, given: dict[str, Any]) -> Any:
        return await session.suggest_files(**given)

    async def do_stop(self, session: Session, given: dict[str, Any]) -> Any:
        return asdict(session.stop_sync(**given) if self.twins else await session.stop(**given))

    async def do_stop_failure(self, session: Session, error: str) -> None:
        await session.stop_failure(error)

    async def do_dispatch(self, session: Session, given: dict[str, Any]) -> Any:
        outcome: Outcome[Any] = await session.dispatch(given["event"], decode(given.get("payload", {})))
        return outcome.to_dict()


class _Local:
    """Stands for the client while a hook is registered for a session alone."""

    def __init__(self, session: Session, blocks: ExitStack) -> None:
        self.session = session
        self.blocks = blocks

    def register_hook(self, event: str, handler: Any, **options: Any) -> str:
        return self.blocks.enter_context(self.session.temporary_hook(event, handler, **options))


def _shown(outcome: ToolOutcome) -> dict[str, Any]:
    fields = {name: getattr(outcome, name) for name in TOOL_FIELDS}
    error = None if outcome.error is None else str(outcome.error)
    return {**fields, "error": error, "injected": [asdict(item) for item in outcome.injected]}
