"""Strands Agents: ``Agent(model, tools, hooks=[HookweaveHooks(client)])``."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import AsyncIterator
from typing import Any

from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ..tools import ToolResult
from ._shared import ClosingNow, Conversation, Conversations, Ran, as_json, as_text, missing

try:
    from strands.hooks import (
        AfterInvocationEvent,
        AgentInitializedEvent,
        BeforeInvocationEvent,
        BeforeModelCallEvent,
        HookProvider,
        HookRegistry,
    )
    from strands.interrupt import InterruptException
    from strands.middleware import ExecuteToolStage, ToolResultEvent
except ImportError as _error:
    raise missing("strands", _error) from _error

__all__ = ["HookweaveHooks"]

_SESSION = "hookweave_session"


class _LeftError(Exception):
    """A tool ended without a result: Strands waits for a person, and will run it again."""


class HookweaveHooks(ClosingNow, HookProvider):
    """Hooks around an agent's prompts, tools and end.

    ``approval="interrupt"`` asks by Strands' interrupts: the reason of an interrupt is the question, and the response
    to it one of its options, in another process too. Other values, and all other options, are those of
    :meth:`HookClient.session`. An agent is a session, whose id is kept in the agent's state; one that runs in another
    one's tool is its subagent if both have the same client.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        self._conversations = Conversations(client, approval, options, asks="interrupt")
        self._hooked: weakref.WeakSet[Any] = weakref.WeakSet()
        self._goes_on: weakref.WeakSet[Any] = weakref.WeakSet()

    def register_hooks(self, registry: HookRegistry, **options: Any) -> None:
        """What Strands calls to have its own events heard."""
        registry.add_callback(AgentInitializedEvent, self._hook)
        registry.add_callback(BeforeInvocationEvent, self._begins)
        registry.add_callback(BeforeModelCallEvent, self._tells)
        registry.add_callback(AfterInvocationEvent, self._ends)

    def _hook(self, event: Any) -> None:
        """Puts hooks around the agent's tools, within all middleware that it has by now."""
        if event.agent not in self._hooked:
            self._hooked.add(event.agent)
            event.agent.add_middleware(ExecuteToolStage, self._around)

    def _conversation(self, agent: Any) -> Conversation:
        id = agent.state.get(_SESSION)
        if id is None:
            agent.state.set(_SESSION, id := str(uuid.uuid4()))
        return self._conversations.of(id, agent.name)

    async def _begins(self, event: BeforeInvocationEvent) -> None:
        self._hook(event)
        conversation = self._conversation(event.agent)
        conversation.stopped = None
        await conversation.start("resume" if event.agent.messages else "startup")
        if event.agent in self._goes_on:
            self._goes_on.discard(event.agent)
            return
        last = event.messages[-1] if event.messages else None
        texts = [part["text"] for part in last["content"] if "text" in part] if last else []
        if last is None or not texts or conversation.is_subagent:
            return
        refused, prompt = await conversation.refuses("\n".join(texts))
        if refused is not None:
            event.cancel = refused
        elif prompt != "\n".join(texts):
            others = [part for part in last["content"] if "text" not in part]
            event.messages = [*event.messages[:-1], {**last, "content": [*others, {"text": prompt}]}]

    def _tells(self, event: BeforeModelCallEvent) -> None:
        conversation = self._conversation(event.agent)
        if conversation.stopped is not None:
            event.cancel = conversation.stopped
        elif (notes := conversation.notes.take()) is not None:
            # The last message is the user's: a prompt, or the results of tools.
            event.agent.messages[-1]["content"].append({"text": notes})

    async def _ends(self, event: AfterInvocationEvent) -> None:
        result = event.result
        if result is None or result.stop_reason != "end_turn":
            return
        event.resume = await self._conversation(event.agent).next_prompt(str(result).strip())
        if event.resume is not None:
            self._goes_on.add(event.agent)

    async def _around(self, context: Any, next_fn: Any) -> AsyncIterator[Any]:
        """Makes a tool call with hooks; what the tool streams is held back until its result is judged."""
        conversation, use = self._conversation(context.agent), context.tool_use
        await conversation.start("resume")
        events: list[Any] = []
        answers: dict[str, Answer] = {}

        async def run(args: dict[str, Any] | None) -> Any:
            events.clear()
            given = context if args is None else context.replace(tool_use={**use, "input": args})
            async for event in next_fn(given):
                events.append(event)
            if results := [event for event in events if isinstance(event, ToolResultEvent)]:
                return results[-1].tool_result
            raise _LeftError

        options: dict[str, Any] = {"answers": answers, "passes": (InterruptException, _LeftError), "seen": _seen}
        while True:
            try:
                ran = await conversation.run_tool(use["name"], use["input"], use["toolUseId"], run, **options)
                events = _result(use, events, ran)
            except ApprovalPending as pending:
                asked = pending.request
                answers[asked.id] = context.interrupt(asked.id, reason=asked.to_dict()).response
                continue
            except _LeftError:
                pass
            break
        for event in events:
            yield event


def _seen(result: Any) -> ToolResult:
    """A tool's result as hooks see it."""
    content = result["content"]
    alone = content[0].get("text") if len(content) == 1 else None
    return ToolResult(as_json(content) if alone is None else alone, success=result["status"] != "error")


def _result(use: Any, events: list[Any], ran: Ran) -> list[Any]:
    """The events of a call, or one in place of them if hooks changed what it gave."""

    def made(output: Any, failed: bool) -> Any:
        content = output if isinstance(output, list) else [{"text": as_text(output)}]
        status = "error" if failed else "success"
        return ToolResultEvent({"toolUseId": use["toolUseId"], "status": status, "content": content})

    judged = ran.result(made)
    return events if judged is ran.native else [judged]
