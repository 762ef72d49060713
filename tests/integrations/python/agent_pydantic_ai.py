"""The scripted agent in pydantic-ai."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from hookweave.integrations.pydantic_ai import Hookweave
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from world import How, Seen, World

_DENIES_ITSELF = "pydantic-ai answers a denied call by itself, and no capability hears of it"
IMPOSSIBLE = {"a_denial_is_heard": _DENIES_ITSELF}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")


def model_of(turns: list[Any], seen: Seen) -> FunctionModel:
    """A model that says what it was given to say."""

    def answer(messages: Any, info: Any) -> ModelResponse:
        lines = []
        for part in (part for message in messages for part in message.parts):
            text = getattr(part, "content", None)
            if part.part_kind == "tool-return":
                seen.failed[part.tool_call_id] = part.outcome != "success"
                text = part.model_response_str()
            elif part.part_kind == "retry-prompt":
                seen.failed[part.tool_call_id] = True
                text = part.model_response()
            lines.append(f"[{part.part_kind}] {text}")
        seen.requests.append("\n".join(lines))
        turn = turns.pop(0)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        return ModelResponse(parts=[ToolCallPart(call.name, call.args, tool_call_id=call.id) for call in turn])

    async def stream(messages: Any, info: Any) -> AsyncIterator[Any]:
        for number, part in enumerate(answer(messages, info).parts):
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {number: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}

    return FunctionModel(answer, stream_function=stream)


def adapter(world: World, how: How) -> Hookweave:
    return Hookweave(world.client, approval="defer" if how.asks else how.approval)


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    tools: list[Any] = [getattr(world, name) for name in TOOLS]
    capabilities = [] if how.bare else [hooks]
    if how.subagent is not None:
        helper = Agent(model_of(list(how.subagent), Seen()), name="helper", tools=tools, capabilities=capabilities)

        async def task(what: str) -> str:
            """Has a helper do something."""
            return (await helper.run(what)).output

        tools = [*tools, task]
    output: Any = [str, DeferredToolRequests] if how.asks else str
    agent: Any = Agent(model_of(list(script), seen), tools=tools, capabilities=capabilities, output_type=output)
    try:
        if how.resume is not None:
            stopped, said = how.resume
            results = DeferredToolResults(approvals=dict(said), metadata=stopped["metadata"])
            history = ModelMessagesTypeAdapter.validate_json(stopped["history"])
            result = await agent.run(message_history=history, deferred_tool_results=results)
        elif how.sync:
            result = await asyncio.to_thread(agent.run_sync, how.prompt)
        elif how.stream:
            async with agent.run_stream_events(how.prompt, conversation_id=how.conversation) as events:
                async for event in events:
                    seen.streamed += str(event)
            result = event.result
        else:
            result = await agent.run(how.prompt, conversation_id=how.conversation)
        if isinstance(result.output, DeferredToolRequests):
            history = result.all_messages_json().decode()
            seen.suspended = {"history": history, "metadata": result.output.metadata}
        else:
            seen.final = result.output
    except Exception as error:
        seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
