"""A client of the first version of the service, generated from its own text, with an agent of today."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from hookweave import HookClient

from remote_programs import Program
from support import LIMIT, new_client, until_async

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the loop there watches no descriptors")

CLIENT = str(Path(__file__).with_name("remote_first_client.py"))
ADDRESS = "grpc://127.0.0.1:0"


async def decide(client: HookClient, command: str) -> tuple[str, str | None, object]:
    """What an outcome says."""
    outcome = await client.dispatch("PreToolUse", tool="Bash", args={"command": command})
    return outcome.decision, outcome.reason, outcome.event.args["command"]


async def connected(agent: HookClient, command: str) -> None:
    """Waits until the client has its stream: until then its hook fails and the action goes on."""
    ends = asyncio.get_running_loop().time() + LIMIT
    while (await decide(agent, command))[0] != "block":
        assert asyncio.get_running_loop().time() < ends, "the client has no stream"
        await asyncio.sleep(0.01)


def test_it_registers_streams_blocks_modifies_lists_and_unregisters() -> None:
    async def test() -> None:
        agent = new_client()
        async with asyncio.timeout(LIMIT), await agent.serve(ADDRESS, token="secret") as serving:
            with Program.of(CLIENT, serving.address, "secret") as client:
                await client.saw("ready")
                (hook,) = agent.list_hooks()
                assert (hook.worker, hook.priority, hook.matcher) == ("client:1", 5, {"tool": "Bash"})
                await connected(agent, "rm x")
                assert await decide(agent, "rm x") == ("block", "no rm", "rm x")
                assert await decide(agent, "cat x") == ("continue", None, "ls")
                # One of its events at a time, whatever the agent does at once.
                decided = await asyncio.gather(*(decide(agent, ("rm", "ls")[turn % 2]) for turn in range(20)))
                assert [decision for decision, _, _ in decided] == ["block", "continue"] * 10
                client.say("list")
                await client.saw("hooks True")
                client.say("unregister")
                await client.saw("unregistered True")
                assert agent.list_hooks() == []
                client.say("list")
                await client.saw("hooks")

    asyncio.run(test())


def test_its_hook_fails_when_it_is_killed_and_is_back_when_it_is() -> None:
    async def test() -> None:
        agent = HookClient(fail_behavior="block")
        async with asyncio.timeout(LIMIT), await agent.serve(ADDRESS) as serving:
            with Program.of(CLIENT, serving.address, "any") as client:
                await client.saw("ready")
                await connected(agent, "rm x")
                client.kill()
            await until_async(lambda: not serving.workers()[0].connected)
            assert (await decide(agent, "ls"))[0] == "block"
            with Program.of(CLIENT, serving.address, "any") as client:
                await client.saw("ready")
                assert [hook.worker for hook in agent.list_hooks()] == ["client:2"]
                await until_async(lambda: serving.workers()[0].connected)
                assert (await decide(agent, "ls"))[0] == "continue"

    asyncio.run(test())


def test_its_calls_need_the_token() -> None:
    async def test() -> None:
        agent = new_client()
        async with asyncio.timeout(LIMIT), await agent.serve(ADDRESS, token="secret") as serving:
            with Program.of(CLIENT, serving.address, "other") as client:
                await client.saw(
                    "refused: the agent wants its token; send it as `authorization: Bearer …` in the metadata"
                )
            assert agent.list_hooks() == [] and serving.workers() == []

    asyncio.run(test())
