"""What Strands alone has: tools that stream before their result is judged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hookweave.integrations.strands import HookweaveHooks
from strands import Agent, tool

from agent_strands import Script
from world import DONE, REDACTED, SECRET, Seen, World, turn


@pytest.mark.parametrize("redacts", [True, False])
def test_what_a_tool_streams_waits_for_its_result(redacts: bool) -> None:
    world, seen = World(), Seen()
    if redacts:
        world.policy()

    @tool
    async def leak(path: str) -> AsyncIterator[str]:
        """Reads a file, line by line."""
        yield SECRET[:5]
        yield f"{SECRET} in {path}"

    script = [turn(("leak", {"path": "a"})), DONE]
    hooks = [HookweaveHooks(world.client)]
    agent = Agent(model=Script(script, seen), tools=[leak], hooks=hooks, callback_handler=None)

    async def streamed() -> list[Any]:
        events = [event async for event in agent.stream_async("hi")]
        return [event["tool_stream_event"]["data"] for event in events if "tool_stream_event" in event]

    pieces = asyncio.run(streamed())
    assert pieces == ([] if redacts else [SECRET[:5], f"{SECRET} in a"])
    assert (REDACTED if redacts else SECRET) in seen.requests[-1]


def test_hooks_that_an_agent_gets_later_are_around_its_tools_too() -> None:
    world, seen = World().policy(), Seen()

    @tool
    def bash(command: str) -> str:
        """Runs a command."""
        return world.bash(command)

    script = [turn(("bash", {"command": "ls"})), DONE]
    agent = Agent(model=Script(script, seen), tools=[bash], callback_handler=None)
    agent.hooks.add_hook(HookweaveHooks(world.client))
    agent("hi")
    assert world.ran == ["bash ls --safe"]
