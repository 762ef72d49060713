"""The scripted agent in LangChain."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from deepagents import create_deep_agent
from hookweave.integrations.langchain import HookweaveMiddleware, hooked_subagents
from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from world import How, Seen, World

IMPOSSIBLE = {
    "a_denial_holds_if_no_hook_asks_any_more": "LangGraph gives an answer only to the question that is asked again",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken")


class Script(BaseChatModel):
    """A model that says what it was given to say."""

    turns: list[Any]
    seen: Any

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> ChatResult:
        self.seen.requests.append("\n".join(f"[{message.type}] {message.text}" for message in messages))
        for message in messages:
            if isinstance(message, ToolMessage):
                self.seen.failed[message.tool_call_id] = message.status == "error"
        turn = self.turns.pop(0)
        calls = [] if isinstance(turn, str) else [{"name": c.name, "args": c.args, "id": c.id} for c in turn]
        message = AIMessage(turn if isinstance(turn, str) else "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def adapter(world: World, how: How) -> HookweaveMiddleware:
    return HookweaveMiddleware(world.client, approval="interrupt" if how.asks else how.approval)


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    make = StructuredTool.from_function
    tools = [*(make(func=getattr(world, name)) for name in TOOLS), make(coroutine=world.slow, name="slow")]
    model = Script(turns=list(script), seen=seen)
    config = {"configurable": {"thread_id": how.conversation}, "recursion_limit": 1000}
    given: Any = {"messages": [HumanMessage(how.prompt)]}
    if how.resume is not None:
        questions, said = how.resume
        words = {True: "Allow once", False: "Deny"}
        given = Command(resume={
            id: {"id": asked["id"], "option": words[said[asked["tool_use_id"]]]} for id, asked in questions.items()
        })  # fmt: skip
    async with contextlib.AsyncExitStack() as stack:
        saver: Any = InMemorySaver()
        if how.state is not None:
            saver = await stack.enter_async_context(AsyncSqliteSaver.from_conn_string(str(how.state / "saved.sqlite")))
        if how.subagent is None:
            agent = create_agent(model, tools, middleware=[] if how.bare else [hooks], checkpointer=saver)
        else:
            for call in script[0]:
                call.args = {"description": "look", "subagent_type": "helper"}
            inner = Script(turns=list(how.subagent), seen=Seen())
            helper = {"name": "helper", "description": "d", "system_prompt": "p", "tools": tools, "model": inner}
            agent = create_deep_agent(
                model=model, middleware=[hooks], subagents=hooked_subagents(hooks, [helper]), checkpointer=saver
            )
        state: Any = {}
        try:
            if how.sync:
                state = await asyncio.to_thread(agent.invoke, given, config)
            elif how.stream:
                async for mode, told in agent.astream(given, config, stream_mode=["updates", "values"]):
                    seen.streamed += str(told)
                    state = told if mode == "values" else state
            else:
                state = await agent.ainvoke(given, config)
            seen.final = state["messages"][-1].text
            if asked := state.get("__interrupt__"):
                seen.suspended = {one.id: one.value for one in asked}
        except Exception as error:
            seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
