"""Google's Agent Development Kit: ``App(name, root_agent, plugins=[HookweavePlugin(client)])``.

ADK runs the tools itself: a call is judged in one callback and looked at in a later one.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ..open_tool_call import OpenToolCall
from ._shared import Closing, Conversation, Conversations, Inside, Placed, as_json, missing, refusal_of

try:
    from google.adk.models.llm_response import LlmResponse
    from google.adk.plugins.base_plugin import BasePlugin
    from google.genai import types
except ImportError as _error:
    raise missing("google_adk", _error) from _error

__all__ = ["HookweavePlugin"]

_WAITS = {"error": "This call waits for a person's decision."}


class HookweavePlugin(Closing, BasePlugin):
    """Hooks around a runner's prompts, tools and ends; give it as the first plugin.

    ``approval="confirmation"`` asks by ADK's tool confirmations: the payload of one is the question. Other values, and
    all other options, are those of :meth:`HookClient.session`. ADK's session is a session; an agent that runs in
    another one's tool is its subagent if both have the same client.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        super().__init__(name="hookweave")
        self._conversations = Conversations(client, approval, options, asks="confirmation")
        self._calls: dict[tuple[str, str], tuple[OpenToolCall, Inside]] = {}
        self._placed: weakref.WeakKeyDictionary[Conversation, Placed] = weakref.WeakKeyDictionary()

    def _conversation(self, context: Any) -> Conversation:
        return self._conversations.of(context.session.id, context.agent_name)

    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> Any:
        """Submits the prompt."""
        conversation = self._conversations.of(invocation_context.session.id, invocation_context.agent.name)
        conversation.stopped = None
        await conversation.start("resume" if invocation_context.session.events else "startup")
        prompt = "\n".join(part.text for part in user_message.parts or () if part.text)
        if not prompt or conversation.is_subagent:
            return None
        refused, changed = await conversation.refuses(prompt)
        if refused is not None or changed == prompt:
            return None
        others = [part for part in user_message.parts if not part.text]
        return types.Content(role="user", parts=[*others, types.Part(text=changed)])

    async def before_run_callback(self, *, invocation_context: Any) -> Any:
        """Answers a prompt that a hook refused."""
        conversation = self._conversations.of(invocation_context.session.id, invocation_context.agent.name)
        return None if conversation.stopped is None else _said(conversation.stopped)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> Any:
        """Tells the model what hooks have for it; ADK makes the request anew each time, so it is put at its place."""
        conversation = self._conversation(callback_context)
        if conversation.stopped is not None:
            return LlmResponse(content=_said(conversation.stopped))
        placed, contents = self._placed.setdefault(conversation, Placed()), llm_request.contents
        for place, text in placed.told(conversation.notes.take(), len(contents)):
            contents.insert(place, types.Content(role="user", parts=[types.Part(text=text)]))
        return None

    async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> Any:
        """Makes the first half of a tool call."""
        conversation, id = self._conversation(tool_context), tool_context.function_call_id
        await conversation.start("resume")
        said, answers = tool_context.tool_confirmation, dict[str, Answer]()
        if said is not None and isinstance(said.payload, dict) and isinstance(said.payload.get("id"), str):
            answers[said.payload["id"]] = "Allow once" if said.confirmed else "Deny"
        try:
            call = await conversation.judge(tool.name, as_json(tool_args), id, answers=answers)
        except ApprovalPending as pending:
            tool_context.request_confirmation(hint=pending.request.prompt, payload=pending.request.to_dict())
            tool_context.actions.skip_summarization = True
            return _WAITS
        if not call.runs:
            return {"error": refusal_of(conversation.note(call))}
        self._calls[tool_context.session.id, id] = call, Inside(conversation)
        if call.changed("args"):
            tool_args.clear()
            tool_args.update(call.args)
        return None

    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> Any:
        """Makes the second half of a call whose tool has run; ADK calls it of one that did not run, too."""
        if (begun := self._calls.pop((tool_context.session.id, tool_context.function_call_id), None)) is None:
            return None
        call, inside = begun
        await inside.leave(None)
        await call.succeeded(_seen(result))
        return self._result(inside.parent, call)

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> Any:
        """Makes the second half of a call whose tool has failed; ADK runs none again, so a retry is made here."""
        if (begun := self._calls.pop((tool_context.session.id, tool_context.function_call_id), None)) is None:
            return None
        call, inside = begun
        raised, result = error, None
        while True:
            await inside.leave(raised)
            if raised is None:
                await call.succeeded(_seen(result))
            elif isinstance(raised, Exception):
                await call.failed(raised)
            else:
                call.drop()
                if raised is not error:
                    raise raised
                return None
            if not call.runs:
                break
            inside, raised = Inside(inside.parent), None
            try:
                result = await tool.run_async(args=call.args, tool_context=tool_context)
            except BaseException as failed:
                raised = failed
        changed = self._result(inside.parent, call)
        return changed if changed is not None or not call.outcome.ok else _as_dict(result)

    def _result(self, conversation: Conversation, call: OpenToolCall) -> dict[str, Any] | None:
        """What hooks made of a result, if they did."""
        outcome = conversation.note(call)
        if not call.changed("output"):
            return None
        return _as_dict(outcome.output) if outcome.ok else {"error": outcome.output}

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """Raises ``Stop``; ADK has no way to go on, so what keeps the agent at work is told with the next prompt."""
        conversation = self._conversations.of(invocation_context.session.id, invocation_context.agent.name)
        texts = [part.text for event in invocation_context.session.events[-1:] for part in _parts(event) if part.text]
        await conversation.goes_on("\n".join(texts) or None)

    async def close(self) -> None:
        """:meth:`aclose`, as ADK calls it when its runner closes."""
        await self.aclose()


def _parts(event: Any) -> Any:
    return (event.content.parts if event.content else None) or ()


def _said(text: str) -> Any:
    return types.Content(role="model", parts=[types.Part(text=text)])


def _seen(result: Any) -> Any:
    """A tool's result as hooks see it: what the model gets without the dict that ADK puts around it."""
    return as_json(result["result"] if isinstance(result, dict) and result.keys() == {"result"} else result)


def _as_dict(output: Any) -> dict[str, Any]:
    return output if isinstance(output, dict) else {"result": output}
