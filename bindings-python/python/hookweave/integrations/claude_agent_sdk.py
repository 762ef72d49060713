"""Claude Agent SDK: ``ClaudeAgentOptions(hooks=hooks_of(client))``.

Claude Code runs the tools itself, in another process: a call is judged in one callback and looked at in a later one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ..errors import SubagentBlockedError
from ..event import Event
from ..open_tool_call import OpenToolCall
from ._shared import Conversation, Conversations, missing

try:
    from claude_agent_sdk import HookMatcher

    if "on_failure" not in HookMatcher.__dataclass_fields__:
        raise ImportError("this release of it lets a call run where a hook fails", name="claude_agent_sdk")
except ImportError as _error:
    raise missing("claude_agent_sdk", _error) from _error

__all__ = ["Hooks", "hooks_of"]

# The SDK's types name fewer; Claude Code takes all of these.
_EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
    "SubagentStart", "SubagentStop", "PreCompact", "Notification",
)  # fmt: skip
_TELL_MODEL = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart"}
_WAITS_SECONDS = 3600


def hooks_of(
    client: HookClient,
    *,
    approval: ApproverName | Approver | str | None = None,
    name_of: Callable[[str], str] = str,
    **options: Any,
) -> Hooks:
    """Hooks for ``ClaudeAgentOptions``, of one query or of many.

    ``approval="claude"`` leaves questions to ``can_use_tool`` or to Claude Code's own dialog. Other values, and all
    other options, are those of :meth:`HookClient.session`. ``name_of`` says what hooks call a tool; without it the name
    is Claude Code's. Where hookweave itself fails, Claude Code blocks.
    """
    return Hooks(_Listener(client, approval, name_of, options))


class Hooks(dict[Any, list[HookMatcher]]):
    """What ``ClaudeAgentOptions`` takes as its hooks."""

    def __init__(self, listener: _Listener) -> None:
        matcher = HookMatcher(hooks=[listener.heard], timeout=_WAITS_SECONDS, on_failure="block")
        super().__init__({event: [matcher] for event in _EVENTS})
        self._listener = listener

    async def aclose(self) -> None:
        """Raises ``SessionEnd`` for every session: Claude Code does not tell the SDK of it when it exits."""
        await self._listener.conversations.aclose()


class _Listener:
    """What Claude Code calls."""

    def __init__(self, client: HookClient, approval: Any, name_of: Callable[[str], str], options: Any) -> None:
        self._client = client
        self.conversations = Conversations(client, approval, options, asks="claude")
        self._name_of = name_of
        self._agents: dict[str, Conversation] = {}
        self._calls: dict[tuple[str, str], OpenToolCall] = {}
        self._does = {
            "SessionStart": self._started,
            "SessionEnd": self._ended,
            "UserPromptSubmit": self._submitted,
            "PreToolUse": self._begun,
            "PostToolUse": self._succeeded,
            "PostToolUseFailure": self._failed,
            "Stop": self._stopped,
            "SubagentStart": self._subagent_started,
            "SubagentStop": self._subagent_stopped,
        }

    async def heard(self, given: Any, tool_use_id: str | None, context: Any) -> Any:
        """An event, and the answer to it."""
        event, agent = given["hook_event_name"], given.get("agent_id")
        conversation = self._agents.get(agent) or self.conversations.of(given["session_id"])
        if agent is not None and agent not in self._agents:
            conversation = self._agents[agent] = conversation.subagent(given.get("agent_type") or "agent", agent)
        does = self._does.get(event)
        answer: dict[str, Any] = await (self._other(given) if does is None else does(conversation, given))
        if event in _TELL_MODEL and "decision" not in answer and (notes := conversation.notes.take()) is not None:
            answer.setdefault("hookSpecificOutput", {"hookEventName": event})["additionalContext"] = notes
        return answer

    async def _started(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        await conversation.start(given.get("source", "startup"))
        return {}

    async def _ended(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        self._left()
        await conversation.session.end(given.get("reason", "other"))
        return {}

    async def _submitted(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        conversation.stopped = None
        await conversation.start("startup")
        submitted = await conversation.submit(given["prompt"])
        if not submitted.accepted:
            return {"decision": "block", "reason": submitted.reason or "a hook refused the prompt"}
        if submitted.prompt != given["prompt"]:
            return {"decision": "block", "reason": "a hook changed the prompt, and Claude Code takes no other prompt"}
        return {}

    async def _begun(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        said: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if conversation.is_subagent:
            with suppress(SubagentBlockedError):
                await conversation.start("startup")
            if conversation.session.closed:
                return {"hookSpecificOutput": _denied(said, "a hook refused to let this subagent begin")}
        try:
            call = await self._judged(conversation, given, {})
        except ApprovalPending as pending:
            asks = {"permissionDecision": "ask", "permissionDecisionReason": pending.request.prompt}
            return {"hookSpecificOutput": {**said, **asks, "updatedInput": pending.request.args}}
        if call.runs:
            self._calls[given["session_id"], given["tool_use_id"]] = call
            # No decision where no hook has one: what Claude Code's own rules forbid stays forbidden.
            return {"hookSpecificOutput": {**said, "updatedInput": call.args}} if call.changed("args") else {}
        outcome = conversation.note(call)
        reason = outcome.reason or "a hook refused the call"
        # `continue: false` alone lets the tool run.
        ends = {"continue_": False, "stopReason": reason} if outcome.stops else {}
        return {**ends, "hookSpecificOutput": _denied(said, reason)}

    def _judged(self, conversation: Conversation, given: Any, answers: dict[str, Answer]) -> Any:
        tool, id = self._name_of(given["tool_name"]), given["tool_use_id"]
        return conversation.judge(tool, given["tool_input"], id, answers=answers)

    async def _open(self, conversation: Conversation, given: Any) -> OpenToolCall:
        """The call that has run; one that Claude Code asked about was approved by a person."""
        call, answers = self._calls.pop((given["session_id"], given["tool_use_id"]), None), dict[str, Answer]()
        while call is None:
            try:
                call = await self._judged(conversation, given, answers)
            except ApprovalPending as pending:
                answers[pending.request.id] = pending.request.granting[0]
        return call

    async def _succeeded(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        call, response = await self._open(conversation, given), given["tool_response"]
        alone = isinstance(response, list) and len(response) == 1 and response[0].get("type") == "text"
        if call.runs:
            await call.succeeded(response[0]["text"] if alone else response)
        outcome = conversation.note(call)
        answer: dict[str, Any] = {}
        if outcome.stops and conversation.stopped is not None:
            answer = {"continue_": False, "stopReason": conversation.stopped}
        if outcome.ran and call.changed("output"):
            output: Any = [{**response[0], "text": _text(outcome.output)}] if alone else outcome.output
            if isinstance(response, dict) and (not isinstance(output, dict) or output.keys() != response.keys()):
                reason = f"a hook changed the result of {call.tool} to a form that Claude Code does not take"
                return {"continue_": False, "stopReason": f"{reason}; keep the fields {', '.join(response)}"}
            answer["hookSpecificOutput"] = {"hookEventName": "PostToolUse", "updatedToolOutput": output}
        return answer

    async def _failed(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        call = await self._open(conversation, given)
        if call.runs:
            await call.failed(RuntimeError(given["error"]))
        if call.runs:
            # A hook wants another run, which only Claude Code could make.
            call.drop()
        else:
            conversation.note(call)
        return {}

    async def _stopped(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        goes_on = await conversation.goes_on(given.get("last_assistant_message"))
        self._left()
        return (
            {"decision": "block", "reason": conversation.notes.take() or "a hook wants you to continue"}
            if goes_on
            else {}
        )

    async def _subagent_started(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        if conversation.session.closed:
            # The same agent begins again.
            parent = self.conversations.of(given["session_id"])
            conversation = self._agents[given["agent_id"]] = parent.subagent(given["agent_type"], given["agent_id"])
        # Claude Code lets it begin all the same; each of its calls is refused.
        with suppress(SubagentBlockedError):
            await conversation.start("startup")
        return {}

    async def _subagent_stopped(self, conversation: Conversation, given: Any) -> dict[str, Any]:
        if (reason := await conversation.next_prompt(given.get("last_assistant_message"))) is not None:
            return {"decision": "block", "reason": reason}
        del self._agents[given["agent_id"]]
        self._left()
        return {}

    async def _other(self, given: Any) -> dict[str, Any]:
        """Any other event is raised as it is, and answered in Claude Code's own words."""
        wire = (await self._client.dispatch(Event.from_wire("claude-code", given))).to_wire("claude-code")
        if wire.exit_code != 0:
            return {"decision": "block", "reason": wire.stderr}
        answer: dict[str, Any] = json.loads(wire.stdout or "{}")
        return {f"{name}_" if name in ("continue", "async") else name: value for name, value in answer.items()}

    def _left(self) -> None:
        """Forgets calls that ended without being heard of."""
        self._calls = {key: call for key, call in self._calls.items() if call.runs}


def _denied(said: dict[str, Any], reason: str) -> dict[str, Any]:
    return {**said, "permissionDecision": "deny", "permissionDecisionReason": reason}


def _text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output)
