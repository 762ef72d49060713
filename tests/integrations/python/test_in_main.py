"""What one framework alone has: agents without hooks in it, typed arguments, local tools that are no functions."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

import pytest
from agents import Agent, LocalShellTool, RunConfig, UserError, function_tool
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny
from deepagents import create_deep_agent
from hookweave import HookResponse
from hookweave.integrations.claude_agent_sdk import hooks_of
from hookweave.integrations.langchain import HookweaveMiddleware, hooked_subagents
from hookweave.integrations.mcp import HookweaveMiddleware as HookweaveServerMiddleware
from hookweave.integrations.openai_agents import HookweaveRunner
from hookweave.integrations.pydantic_ai import Hookweave
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import ElicitResult
from pydantic_ai import Agent as PydanticAgent

import agent_langchain
import agent_openai_agents
import agent_pydantic_ai
from world import DONE, How, Seen, World, turn


def test_deepagents_own_subagent_is_refused() -> None:
    world, seen = World().policy(), Seen()
    asked = [turn(("task", {"description": "look", "subagent_type": "general-purpose"})), DONE]
    agent = create_deep_agent(
        model=agent_langchain.Script(turns=asked, seen=seen),
        tools=[StructuredTool.from_function(func=world.bash)],
        middleware=[HookweaveMiddleware(world.client)],
    )
    asyncio.run(agent.ainvoke({"messages": [HumanMessage("hi")]}))
    assert seen.failed == {"c0": True}
    assert "general-purpose has no hooks" in seen.requests[-1]
    assert not world.count("SubagentStart")


def test_deepagents_compiled_subagent_is_refused() -> None:
    hooks = HookweaveMiddleware(World().client)
    with pytest.raises(TypeError, match="helper is compiled"):
        hooked_subagents(hooks, [{"name": "helper", "description": "d", "runnable": None}])


def test_a_run_without_a_thread_is_one_session() -> None:
    world, seen = World().policy(), Seen()
    script = [turn(("bash", {"command": "pwd"})), DONE]
    agent = agent_langchain.create_agent(
        agent_langchain.Script(turns=script, seen=seen),
        [StructuredTool.from_function(func=world.bash)],
        middleware=[HookweaveMiddleware(world.client)],
    )
    state = asyncio.run(agent.ainvoke({"messages": [HumanMessage("hi")]}))
    assert len(world.sessions) == 1 and world.count("SessionStart") == 1
    assert "hookweave_run" not in state


def test_a_call_whose_tool_interrupts_the_graph_counts_as_not_begun() -> None:
    world, seen = World(), Seen()
    safe = {"modified": {"args": {"command": "ls --safe"}}}
    world.client.register_hook("PreToolUse", lambda e: safe, once=True)
    ended: list[str] = []
    world.client.register_hook("PostToolUse", lambda e: ended.append(e.args["command"]))

    def bash(command: str) -> str:
        """Runs a command."""
        return f"{command}: {interrupt('how?')}"

    agent = agent_langchain.create_agent(
        agent_langchain.Script(turns=[turn(("bash", {"command": "ls"})), DONE], seen=seen),
        [StructuredTool.from_function(func=bash)],
        middleware=[HookweaveMiddleware(world.client)],
        checkpointer=InMemorySaver(),
    )

    async def twice() -> list[str]:
        thread: Any = {"configurable": {"thread_id": "t"}}
        await agent.ainvoke({"messages": [HumanMessage("hi")]}, thread)
        before = list(ended)
        await agent.ainvoke(Command(resume="slowly"), thread)
        return before

    assert asyncio.run(twice()) == []
    assert "ls --safe: slowly" in seen.requests[-1]
    assert ended == ["ls --safe"]


def test_openai_agent_as_a_tool_without_hooks_is_refused() -> None:
    world = World().policy()
    inner = agent_openai_agents.Script([turn(("bash", {"command": "pwd"})), "sub done"], Seen())
    helper = Agent(name="helper", model=inner, tools=[function_tool(world.bash)])
    outer = agent_openai_agents.Script([turn(("task", {"input": "look"})), DONE], Seen())
    agent = Agent(name="main", model=outer, tools=[helper.as_tool("task", "d", failure_error_function=None)])
    with pytest.raises(UserError, match="helper has no hooks"):
        asyncio.run(HookweaveRunner(world.client).run(agent, "hi"))
    assert world.ran == []


def test_whom_an_openai_agent_hands_off_to_has_hooks() -> None:
    world = World().policy()
    seen = Seen()
    script = agent_openai_agents.Script([turn(("bash", {"command": "ls"})), DONE], seen)
    second = Agent(name="second", model=script, tools=[function_tool(world.bash)])
    first = Agent(
        name="first",
        model=agent_openai_agents.Script([turn(("transfer_to_second", {}), id="h")], Seen()),
        handoffs=[second],
    )
    result = asyncio.run(HookweaveRunner(world.client).run(first, "hi", run_config=RunConfig(group_id="g")))
    assert (world.ran, result.final_output) == (["bash ls --safe"], DONE)


def test_an_openai_tool_that_runs_here_and_is_no_function_is_refused() -> None:
    world = World()
    shell = LocalShellTool(executor=lambda request: "ran")
    agent = Agent(name="main", model=agent_openai_agents.Script([DONE], Seen()), tools=[shell])
    with pytest.raises(UserError, match="local_shell of main is no function"):
        asyncio.run(HookweaveRunner(world.client).run(agent, "hi"))


def test_typed_arguments_survive_a_change() -> None:
    world, given = World(), []

    def book(day: datetime.date, guests: int) -> str:
        """Books a table."""
        given.append((day, guests))
        return "booked"

    tomorrow = {"modified": {"args": {"day": "2030-01-02", "guests": 3}}}
    world.client.register_hook("PreToolUse", lambda e: tomorrow)
    script = [turn(("book", {"day": "2030-01-01", "guests": 2})), DONE]
    model = agent_pydantic_ai.model_of(script, Seen())
    agent: Any = PydanticAgent(model, tools=[book], capabilities=[Hookweave(world.client)])
    asyncio.run(agent.run("hi"))
    assert given == [(datetime.date(2030, 1, 2), 3)]


@pytest.mark.parametrize(("says", "ran"), [("Allow once", ["fetch u"]), ("Deny", [])])
def test_a_client_of_an_older_protocol_is_asked_by_an_elicitation(says: str, ran: list[str]) -> None:
    world = World().policy()
    server = MCPServer("world", middleware=[HookweaveServerMiddleware(world.client, approval="client")])
    server.tool()(world.fetch)

    async def elicit(context: Any, asked: Any) -> ElicitResult:
        assert asked.message.startswith("fetch u?")
        return ElicitResult(action="accept", content={"decision": says})

    async def call() -> Any:
        async with Client(server, mode="legacy", elicitation_callback=elicit) as client:
            return await client.call_tool("fetch", {"url": "u"})

    result = asyncio.run(call())
    assert world.ran == ran
    assert result.is_error is (not ran)


@pytest.mark.filterwarnings("ignore::claude_agent_sdk.CanUseToolShadowedWarning")
@pytest.mark.parametrize("allows", [True, False])
def test_claude_code_asks_by_can_use_tool(allows: bool) -> None:
    import agent_claude_agent_sdk as agent

    world, asked = World().policy(), list[str]()

    async def can_use_tool(name: str, given: dict[str, Any], context: Any) -> Any:
        asked.append(name)
        return PermissionResultAllow() if allows else PermissionResultDeny(message="not today")

    def name_of(name: str) -> str:
        return name.removeprefix(agent.PREFIX)

    hooks = hooks_of(world.client, approval="claude", name_of=name_of)
    script = [turn(("fetch", {"url": "u"})), DONE]
    seen = asyncio.run(agent.run(world, script, How(hooks=hooks), can_use_tool))
    assert seen.raised is None and asked == [f"{agent.PREFIX}fetch"]
    assert world.ran == (["fetch u"] if allows else [])
    assert world.count("PostToolUse", "fetch") == int(allows)
    assert ("page u" if allows else "not today") in seen.requests[-1]


def test_claude_code_blocks_where_hookweave_fails() -> None:
    hooks = hooks_of(World().client)
    assert all(matcher.on_failure == "block" for matchers in hooks.values() for matcher in matchers)


def test_a_result_that_claude_code_would_not_take_ends_the_turn() -> None:
    world = World()
    world.client.register_hook("PostToolUse", lambda e: {"modified": {"result": {**e.result, "output": "[redacted]"}}})
    listen = hooks_of(world.client)["PostToolUse"][0].hooks[0]
    common: Any = {"session_id": "s", "tool_use_id": "c0", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    given: Any = {**common, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "secret", "stderr": ""}}
    answer: Any = asyncio.run(listen(given, "c0", {"signal": None}))
    assert answer["continue_"] is False and "keep the fields stdout, stderr" in answer["stopReason"]


def test_a_subagent_that_a_hook_refuses_makes_no_call_in_claude_code() -> None:
    world = World()
    world.client.register_hook("SubagentStart", lambda e: HookResponse.block("no helpers"))
    listen = hooks_of(world.client)["PreToolUse"][0].hooks[0]
    agent: Any = {"session_id": "s", "agent_id": "a1", "agent_type": "helper", "tool_use_id": "c0"}
    call = {**agent, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}

    async def twice() -> list[Any]:
        await listen({**agent, "hook_event_name": "SubagentStart"}, None, {"signal": None})
        return [await listen(call, "c0", {"signal": None}) for _ in range(2)]

    for answer in asyncio.run(twice()):
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


class Flaky(agent_langchain.Script):
    """A model whose first call fails."""

    failures: int = 1

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("overloaded")
        return super()._generate(messages, stop, run_manager, **options)


@pytest.mark.parametrize("sync", [False, True])
def test_hooks_are_around_the_calls_of_langchains_model(sync: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_langchain, "Script", Flaky)
    world, how = World().guards_the_model(), How(prompt="the key is 4242", sync=sync)
    seen = asyncio.run(agent_langchain.run(world, [turn(("bash", {"command": "ls"})), DONE], how))
    assert seen.raised is None
    assert (len(seen.requests), world.ran, seen.final) == (2, ["bash ls"], "all [finished]")
    assert all("the key is [hidden]" in request and "4242" not in request for request in seen.requests)


def test_langchains_model_is_not_called_if_a_hook_refuses() -> None:
    world = World().policy().guards_the_model()
    seen = asyncio.run(agent_langchain.run(world, [DONE], How(prompt="forbidden things")))
    assert (seen.requests, seen.final, world.count("Stop")) == ([], "not to this model", 0)
