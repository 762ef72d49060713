"""The scripted agent in the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, RunState, Usage, function_tool, set_tracing_disabled
from hookweave.integrations.openai_agents import HookweaveRunner
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from world import How, Seen, World

set_tracing_disabled(True)
_DENIES_ITSELF = "the SDK answers a denied call by itself, and no hook hears of it"
IMPOSSIBLE = {
    "a_denial_is_heard": _DENIES_ITSELF,
    "a_blocked_result_is_marked_as_failed": "the Responses API has no mark for a failed call",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")


class Script(Model):
    """A model that says what it was given to say."""

    def __init__(self, turns: list[Any], seen: Seen) -> None:
        self.turns, self.seen = turns, seen

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **options: Any) -> ModelResponse:
        """The next turn."""
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        lines = []
        for item in items:
            text = item.get("content") or item.get("output") or f"{item.get('name')}({item.get('arguments')})"
            lines.append(
                f"[{item.get('type') or item.get('role')}] {text if isinstance(text, str) else json.dumps(text)}"
            )
        self.seen.requests.append("\n".join(lines))
        turn, output = self.turns.pop(0), list[Any]()
        if isinstance(turn, str):
            part = ResponseOutputText(text=turn, type="output_text", annotations=[])
            id = f"m{len(self.seen.requests)}"
            output = [
                ResponseOutputMessage(id=id, content=[part], role="assistant", status="completed", type="message")
            ]
        else:
            for call in turn:
                given = {"name": call.name, "arguments": json.dumps(call.args), "call_id": call.id}
                output.append(ResponseFunctionToolCall(id=f"f{call.id}", type="function_call", **given))
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **options: Any) -> Any:
        """The next turn, in one piece."""
        output = (await self.get_response(*given, **options)).output
        fields: dict[str, Any] = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": output}
        response = Response(**fields, parallel_tool_calls=True, tool_choice="auto", tools=[])
        yield ResponseCompletedEvent(response=response, type="response.completed", sequence_number=0)


def adapter(world: World, how: How) -> HookweaveRunner:
    return HookweaveRunner(world.client, approval="interrupt" if how.asks else how.approval)


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    runner = how.hooks or adapter(world, how)
    tools: list[Any] = [function_tool(getattr(world, name)) for name in TOOLS]
    if how.subagent is not None:
        helper = runner.hooked(Agent(name="helper", model=Script(list(how.subagent), Seen()), tools=list(tools)))
        for call in script[0]:
            call.args = {"input": "look"}
        tools.append(helper.as_tool("task", "Has a helper do something."))
    agent = Agent(name="main", model=Script(list(script), seen), tools=tools)
    config = RunConfig(group_id=how.conversation)
    try:
        if how.resume is not None:
            stopped, said = how.resume
            state = await RunState.from_string(runner.hooked(agent), stopped)
            for item in state.get_interruptions():
                (state.approve if said[item.call_id] else state.reject)(item)
            result = await runner.run(agent, state)
        elif how.bare:
            result = await Runner.run(agent, how.prompt, run_config=config)
        elif how.sync:
            result = await asyncio.to_thread(runner.run_sync, agent, how.prompt)
        elif how.stream:
            result = await runner.run_streamed(agent, how.prompt, run_config=config)
            async for event in result.stream_events():
                seen.streamed += str(event)
        else:
            result = await runner.run(agent, how.prompt, run_config=config)
        if result.interruptions:
            seen.suspended = result.to_state().to_string()
        else:
            seen.final = result.final_output
    except Exception as error:
        seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await runner.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
