"""CrewAI: ``with HookweaveCrew(client): crew.kickoff()``.

CrewAI's own hooks are sync, hold for the whole process, and swallow what they raise. So whatever fails in here becomes
a refusal: the call does not run, or its result is withheld.
"""

from __future__ import annotations

import threading
from typing import Any, Self

from .._session_driver import run_now
from ..approval import Approver, ApproverName
from ..client import HookClient
from ..open_tool_call import OpenToolCall
from ._shared import Conversation, Conversations, Inside, as_json, as_text, missing, refusal_of

try:
    from crewai.hooks import (
        HookAborted,
        InterceptionPoint,
        LLMCallHookContext,
        ToolCallHookContext,
        register_hook,
        unregister_hook,
    )
except ImportError as _error:
    raise missing("crewai", _error) from _error

__all__ = ["HookweaveCrew"]


class HookweaveCrew:
    """Hooks around the tools of every crew that runs within the block.

    All options are those of :meth:`HookClient.session`. A crew is a session; one that runs in another one's tool is
    its subagent. Hooks have to be sync, and so has the approver. The end of the outermost block raises ``SessionEnd``.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | None = None, **options: Any):
        self._conversations = Conversations(client, approval, options)
        # By the identity of its arguments, which CrewAI hands to both hooks; the dict is kept so that it stays its own.
        self._calls: dict[int, tuple[dict[str, Any], OpenToolCall, Inside]] = {}
        self._refused: dict[int, tuple[dict[str, Any], str]] = {}
        self._lock = threading.Lock()
        self._blocks = 0

    def __enter__(self) -> Self:
        with self._lock:
            self._blocks += 1
            if self._blocks == 1:
                for point, hook in self._hooks():
                    register_hook(point, hook)
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._blocks -= 1
            if self._blocks:
                return
            for point, hook in self._hooks():
                unregister_hook(point, hook)
        self._conversations.close()

    def _hooks(self) -> list[tuple[InterceptionPoint, Any]]:
        return [
            (InterceptionPoint.PRE_MODEL_CALL, self._tell),
            (InterceptionPoint.PRE_TOOL_CALL, self._begin),
            (InterceptionPoint.POST_TOOL_CALL, self._end),
        ]

    def _conversation(self, context: Any) -> Conversation:
        """That of the crew, or of the agent where there is none."""
        crew = context.crew or context.agent
        conversation = self._conversations.of(str(crew.id), getattr(crew, "name", None) or "crew")
        run_now(conversation.start("startup", sync=True), "kickoff")
        return conversation

    def _tell(self, context: LLMCallHookContext) -> None:
        """Tells the model what hooks have for it, and ends the run where a hook wants that."""
        if context.crew is None and context.agent is None:
            return
        try:
            conversation = self._conversation(context)
        except BaseException as error:
            raise HookAborted(f"hooks could not be asked: {error}", "hookweave") from error
        if conversation.stopped is not None:
            stopped, conversation.stopped = conversation.stopped, None
            raise HookAborted(stopped, "hookweave")
        if (notes := conversation.notes.take()) is not None:
            context.messages.append({"role": "user", "content": notes})

    def _begin(self, context: ToolCallHookContext) -> bool | None:
        """Makes the first half of a tool call."""
        given = context.tool_input
        try:
            conversation = self._conversation(context)
            judging = conversation.judge(context.tool_name, as_json(given), None, sync=True)
            call = run_now(judging, "kickoff")
            if not call.runs:
                self._refused[id(given)] = given, refusal_of(conversation.note(call)) or ""
                return False
            self._calls[id(given)] = given, call, Inside(conversation)
            if call.changed("args"):
                given.clear()
                given.update(call.args)
        except BaseException as error:
            self._refused[id(given)] = given, f"the call was not made, because hooks could not be asked: {error}"
            return False
        return None

    def _end(self, context: ToolCallHookContext) -> str | None:
        """Makes the second half of a call; CrewAI calls it of one that did not run, too."""
        if (refused := self._refused.pop(id(context.tool_input), None)) is not None:
            return refused[1]
        if (begun := self._calls.pop(id(context.tool_input), None)) is None:
            return None
        _, call, inside = begun
        try:
            run_now(inside.leave(None, sync=True), "kickoff")
            call.succeeded_sync(context.tool_result)
            inside.parent.note(call)
        except BaseException as error:
            return f"the result is withheld, because hooks could not be asked about it: {error}"
        return as_text(call.outcome.output) if call.changed("output") else None
