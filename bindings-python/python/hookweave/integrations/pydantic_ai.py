"""pydantic-ai: ``Agent(model, capabilities=[Hookweave(client)])``."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ._shared import Closing, Conversation, Conversations, PromptRefusedError, as_json, as_text, missing

try:
    from pydantic_ai import DeferredToolRequests, RunContext, ToolReturn, UserPromptNode
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, ToolFailed
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.result import FinalResult
    from pydantic_ai.run import AgentRunResult
    from pydantic_graph import End
except ImportError as _error:
    raise missing("pydantic_ai", _error) from _error

__all__ = ["Hookweave", "PromptRefusedError"]

_CONTROL_FLOW = (ApprovalRequired, CallDeferred, SkipToolExecution)


class Hookweave(Closing, AbstractCapability[Any]):
    """Hooks around an agent's prompts, tools and end.

    ``approval="defer"`` ends a run with ``DeferredToolRequests`` whose metadata are the questions. Give them back with
    the approvals, ``DeferredToolResults(approvals=…, metadata=requests.metadata)``, in another process too; without its
    metadata a question is asked again. Other values, and all other options, are those of :meth:`HookClient.session`. A
    conversation is a session. An agent that runs in another one's tool is its subagent if both have the same client.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        self._conversations = Conversations(client, approval, options, asks="defer")
        self._validates: dict[str, Any] = {}
        self._prompt: str | None = None

    def get_ordering(self) -> CapabilityOrdering | None:
        """Nothing comes between what was judged and the tool."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: RunContext[Any]) -> Hookweave:
        """A copy with the state of one run."""
        own = copy.copy(self)
        own._validates, own._prompt = {}, None
        return own

    def _conversation(self, ctx: RunContext[Any]) -> Conversation:
        return self._conversations.of(ctx.conversation_id, getattr(ctx.agent, "name", None) or "agent")

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Submits the prompt."""
        conversation = self._conversation(ctx)
        conversation.stopped = None
        await conversation.start("resume" if ctx.messages else "startup")
        if isinstance(ctx.prompt, str) and not conversation.is_subagent:
            submitted = await conversation.submit(ctx.prompt)
            if not submitted.accepted:
                reason = submitted.reason or "a hook refused the prompt"
                if getattr(ctx.agent, "output_type", str) is not str:
                    raise PromptRefusedError(reason)
                return AgentRunResult(reason)
            self._prompt = submitted.prompt
        result: AgentRunResult[Any] = await handler()
        return result

    async def before_node_run(self, ctx: RunContext[Any], *, node: Any) -> Any:
        """Gives the agent the prompt as hooks left it."""
        if isinstance(node, UserPromptNode) and isinstance(node.user_prompt, str) and self._prompt is not None:
            return dataclasses.replace(node, user_prompt=self._prompt)
        return node

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        """Tells the model what hooks have for it."""
        if (notes := self._conversation(ctx).notes.take()) is not None:
            ctx.enqueue(notes)
        return request_context

    async def after_node_run(self, ctx: RunContext[Any], *, node: Any, result: Any) -> Any:
        """Asks whether the agent may stop, and ends its turn where a hook wants that."""
        conversation = self._conversation(ctx)
        if not isinstance(result, End):
            return result if conversation.stopped is None else End(FinalResult(conversation.stopped))
        if isinstance(result.data.output, DeferredToolRequests):
            return result
        last = next((message.text for message in reversed(ctx.messages) if isinstance(message, ModelResponse)), None)
        if await conversation.goes_on(last) and (notes := conversation.notes.take()) is not None:
            ctx.enqueue(notes, priority="when_idle")
        return result

    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Keeps what makes typed arguments of JSON, for those that hooks change."""
        self._validates[call.tool_call_id] = handler
        return await handler(args)

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Makes a tool call with hooks."""
        conversation, id = self._conversation(ctx), call.tool_call_id
        answers: Mapping[str, Answer] | None = None
        if ctx.tool_call_approved and isinstance(asked := (ctx.tool_call_metadata or {}).get("id"), str):
            answers = {asked: "Allow once"}

        async def run(changed: dict[str, Any] | None) -> Any:
            return await handler(args if changed is None else await self._validates[id](changed))

        try:
            ran = await conversation.run_tool(
                call.tool_name, args, id, run, seen=_seen, answers=answers, passes=_CONTROL_FLOW
            )
        except ApprovalPending as pending:
            raise ApprovalRequired(pending.request.to_dict()) from None
        return ran.result(_made)


def _made(output: Any, failed: bool) -> Any:
    if failed:
        raise ToolFailed(as_text(output))
    return output


def _seen(result: Any) -> Any:
    """A tool's result as hooks see it: all that the model will get."""
    if not isinstance(result, ToolReturn):
        return as_json(result)
    value = as_json(result.return_value)
    return {"return_value": value, "content": as_json(result.content)} if result.content else value
