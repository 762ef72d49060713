"""Microsoft's Agent Framework: ``Agent(chat_client, tools=…, middleware=[HookweaveMiddleware(client)])``."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from ..approval import Answer, ApprovalPending, ApprovalRequest, Approver, ApproverName
from ..client import HookClient
from ._shared import Closing, Conversation, Conversations, Placed, as_json, as_text, missing

try:
    from agent_framework import (
        AgentMiddleware,
        AgentResponse,
        ChatMiddleware,
        Content,
        FunctionMiddleware,
        Message,
        MiddlewareBundle,
        MiddlewareFailure,
        MiddlewareTermination,
    )
    from agent_framework.exceptions import UserInputRequiredException
except ImportError as _error:
    raise missing("agent_framework", _error) from _error

__all__ = ["HookweaveMiddleware"]

_CONTROL_FLOW = (MiddlewareFailure, MiddlewareTermination, UserInputRequiredException)
_QUESTION = "hookweave_question"
_current: ContextVar[Any] = ContextVar("hookweave_conversation", default=None)


class HookweaveMiddleware(Closing, MiddlewareBundle):
    """Hooks around an agent's prompts, tools and end; give it as the last middleware, which is the innermost.

    ``approval="request"`` asks by the framework's approval requests: ``hookweave_question`` of one's
    ``additional_properties`` is the question. Other values, and all other options, are those of
    :meth:`HookClient.session`. The framework's session is a session, and a run without one is one of its own. An agent
    that runs in another one's tool is its subagent if both have the same client.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        self._conversations = Conversations(client, approval, options, asks="request")
        super().__init__([_AroundAgent(self._conversations), _BeforeModel(), _AroundTool()])


class _AroundAgent(AgentMiddleware):
    """Submits the prompt, and asks whether the agent may stop."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def process(self, context: Any, call_next: Any) -> None:
        session = getattr(context.session, "session_id", None)
        conversation = self._conversations.of(session, getattr(context.agent, "name", None) or "agent")
        conversation.stopped = None
        await conversation.start("startup")
        if not await self._submit(conversation, context):
            return
        outer = _current.get()
        _current.set((conversation, Placed()))
        if context.stream:
            # The run goes on while the stream is read.
            context.stream_cleanup_hooks.append(lambda: _current.set(outer))
            await call_next()
            return
        try:
            await call_next()
            while not context.result.user_input_requests and (
                told := await conversation.next_prompt(context.result.text)
            ):
                kept = [] if context.session is not None else [*context.messages, *context.result.messages]
                context.messages = [*kept, Message("user", [told])]
                await call_next()
        finally:
            _current.set(outer)

    async def _submit(self, conversation: Conversation, context: Any) -> bool:
        last = context.messages[-1] if context.messages else None
        if last is None or last.role != "user" or not last.text or conversation.is_subagent:
            return True
        refused, prompt = await conversation.refuses(last.text)
        if refused is not None:
            context.result = AgentResponse(messages=[Message("assistant", [refused])])
        elif prompt != last.text:
            others = [content for content in last.contents if content.type != "text"]
            context.messages = [*context.messages[:-1], Message("user", [*others, prompt])]
        return refused is None


class _BeforeModel(ChatMiddleware):
    """Tells the model what hooks have for it; the framework forgets it after each call."""

    async def process(self, context: Any, call_next: Any) -> None:
        conversation, placed = _current.get()
        messages = list(context.messages)
        for place, text in placed.told(conversation.notes.take(), len(messages)):
            messages.insert(place, Message("user", [text]))
        context.messages = messages
        await call_next()


class _AroundTool(FunctionMiddleware):
    """Makes a tool call with hooks."""

    async def process(self, context: Any, call_next: Any) -> None:
        (conversation, _), answers, given = _current.get(), dict[str, Answer](), context.arguments
        approved = context.metadata.get("approval_response")
        if approved is not None and _QUESTION in approved.additional_properties:
            answers[approved.additional_properties[_QUESTION]["id"]] = "Allow once"

        async def run(changed: dict[str, Any] | None) -> Any:
            if changed is not None:
                context.arguments = changed
            await call_next()
            return context.result

        args: Any = given if isinstance(given, Mapping) else given.model_dump()
        options: dict[str, Any] = {"seen": _seen, "answers": answers, "passes": _CONTROL_FLOW}
        try:
            ran = await conversation.run_tool(
                context.function.name, args, context.metadata.get("call_id"), run, **options
            )
        except _CONTROL_FLOW:
            raise
        except ApprovalPending as pending:
            context.result = _request(context, pending.request)
            return
        except Exception as error:
            # Any other error would be told to the model, and the run would go on.
            raise MiddlewareFailure(f"hooks could not be asked about {context.function.name}: {error}") from error
        if ran.outcome.stops:
            context.result = conversation.stopped
            raise MiddlewareTermination(conversation.stopped or "a hook stopped the agent")
        context.result = ran.result(lambda output, failed: as_text(output))


def _request(context: Any, asked: ApprovalRequest) -> Content:
    """A question as the framework's request, about the call as hooks left it."""
    call, id = context.metadata["call_id"], context.metadata.get("function_call_occurrence_id")
    made = Content.from_function_call(call_id=call, id=id, name=context.function.name, arguments=asked.args)
    kept = {_QUESTION: asked.to_dict()}
    return Content.from_function_approval_request(id=id or call, function_call=made, additional_properties=kept)


def _seen(result: Any) -> Any:
    """A tool's result as hooks see it: its text where there is nothing else."""
    if isinstance(result, list) and all(isinstance(one, Content) for one in result):
        if all(one.type == "text" for one in result):
            return "\n".join(one.text or "" for one in result)
        return [one.to_dict() for one in result]
    return as_json(result)
