"""The scripted agent in Strands Agents."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Any

from hookweave.integrations.strands import HookweaveHooks
from strands import Agent, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager

from world import How, Seen, World

IMPOSSIBLE = {
    "a_denial_holds_if_no_hook_asks_any_more": "Strands gives an answer only to the question that is asked again",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")
TOLD = ("data", "message", "tool_stream_event")


class Script(Model):
    """A model that says what it was given to say."""

    def __init__(self, turns: list[Any], seen: Seen) -> None:
        self.turns, self.seen = turns, seen

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *given: Any, **options: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *given: Any, **options: Any) -> Any:
        lines = []
        for message in messages:
            for part in message["content"]:
                if (result := part.get("toolResult")) is not None:
                    self.seen.failed[result["toolUseId"]] = result["status"] == "error"
                    lines.append(f"[result] {json.dumps(result['content'])}")
                else:
                    lines.append(f"[{message['role']}] {part.get('text') or json.dumps(part['toolUse'])}")
        self.seen.requests.append("\n".join(lines))
        turn = self.turns.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        for part in [turn] if isinstance(turn, str) else turn:
            start, delta = {}, {"text": part}
            if not isinstance(part, str):
                start = {"toolUse": {"name": part.name, "toolUseId": part.id}}
                delta = {"toolUse": {"input": json.dumps(part.args)}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": delta}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(turn, str) else "tool_use"}}


def as_tool(method: Any) -> Any:
    """A method as one of Strands' tools, which are functions."""

    @functools.wraps(method)
    def run(*given: Any, **named: Any) -> Any:
        return method(*given, **named)

    @functools.wraps(method)
    async def wait(*given: Any, **named: Any) -> Any:
        return await method(*given, **named)

    return tool(wait if asyncio.iscoroutinefunction(method) else run)


def adapter(world: World, how: How) -> HookweaveHooks:
    return HookweaveHooks(world.client, approval="interrupt" if how.asks else how.approval)


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    tools = [as_tool(getattr(world, name)) for name in TOOLS]
    given: dict[str, Any] = {"hooks": [] if how.bare else [hooks], "callback_handler": None}
    if how.subagent is not None:
        helper = Agent(model=Script(list(how.subagent), Seen()), name="helper", tools=tools, **given)

        @tool
        async def task(what: str) -> str:
            """Has a helper do something."""
            return str(await helper.invoke_async(what)).strip()

        tools = [*tools, task]
    if how.state is not None:
        given["session_manager"] = FileSessionManager(session_id="s", storage_dir=str(how.state))
    prompt: Any = how.prompt
    if how.resume is not None:
        questions, said = how.resume
        words = {True: "Allow once", False: "Deny"}
        prompt = [
            {"interruptResponse": {"interruptId": id, "response": words[said[asked["tool_use_id"]]]}}
            for id, asked in questions.items()
        ]
    agent = Agent(model=Script(list(script), seen), tools=tools, **given)
    try:
        if how.sync:
            result = await asyncio.to_thread(agent, prompt)
        elif how.stream:
            async for event in agent.stream_async(prompt):
                seen.streamed += "".join(str(event[name]) for name in TOLD if name in event)
                result = event.get("result")
        else:
            result = await agent.invoke_async(prompt)
        seen.final = str(result).strip()
        if result.stop_reason == "interrupt":
            seen.suspended = {one.id: one.reason for one in result.interrupts}
    except Exception as error:
        seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
