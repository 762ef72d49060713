"""The scripted agent in CrewAI."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
from typing import Any

os.environ.update(
    OTEL_SDK_DISABLED="true",
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_DISABLE_TRACKING="true",
    CREWAI_TRACING_ENABLED="false",
)
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from hookweave.integrations.crewai import HookweaveCrew

from world import How, Seen, World

_NO_QUESTIONS = "CrewAI has no questions that are answered later"
_TEXTS = "CrewAI makes a text of a failure before its hooks hear of it"
_NO_PROMPTS = "CrewAI has tasks for its agents, and no prompts"
IMPOSSIBLE = {
    "a_blocked_result_is_marked_as_failed": "CrewAI marks no result as failed",
    "suspend_and_approve_in_another_process": _NO_QUESTIONS,
    "suspend_and_deny_in_another_process": _NO_QUESTIONS,
    "a_denial_is_heard": _NO_QUESTIONS,
    "two_questions_at_once": _NO_QUESTIONS,
    "a_hook_that_asks_once_is_denied_after_all": _NO_QUESTIONS,
    "a_denial_holds_if_no_hook_asks_any_more": _NO_QUESTIONS,
    "retry": _TEXTS,
    "tool_error": _TEXTS,
    "prompt_refused": _NO_PROMPTS,
    "prompt_changed": _NO_PROMPTS,
    "a_streamed_result_was_judged": "CrewAI streams what the model says, and no results",
    "stop_hook_keeps_the_agent_at_work": "CrewAI ends a task at its answer, and no hook can change that",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")


class Script(BaseLLM):
    """A model that says what it was given to say."""

    turns: list[Any]
    seen: Any

    def call(self, messages: Any, tools: Any = None, **options: Any) -> Any:
        lines = []
        for message in [messages] if isinstance(messages, str) else messages:
            lines.append(message if isinstance(message, str) else f"[{message['role']}] {message.get('content')}")
            if isinstance(message, dict) and message["role"] == "tool":
                self.seen.failed[message["tool_call_id"]] = False
        self.seen.requests.append("\n".join(lines))
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            return turn
        return [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": json.dumps(one.args)}}
            for one in turn
        ]

    async def acall(self, messages: Any, tools: Any = None, **options: Any) -> Any:
        return self.call(messages, tools, **options)

    def supports_function_calling(self) -> bool:
        return True


def model_of(turns: list[Any], seen: Seen) -> Script:
    """A model that says these turns."""
    return Script(model="script", turns=turns, seen=seen)


def as_tool(method: Any) -> Any:
    """A method as one of CrewAI's tools, which are functions."""

    @functools.wraps(method)
    def run(*given: Any, **named: Any) -> Any:
        return method(*given, **named)

    @functools.wraps(method)
    async def wait(*given: Any, **named: Any) -> Any:
        return await method(*given, **named)

    return tool(method.__name__)(wait if asyncio.iscoroutinefunction(method) else run)


def adapter(world: World, how: How) -> HookweaveCrew:
    return HookweaveCrew(world.client, approval=how.approval)


def crew_of(script: list[Any], seen: Seen, tools: list[Any], prompt: str) -> Crew:
    """A crew of one agent with one task."""
    model = model_of(list(script), seen)
    agent = Agent(role="r", goal="g", backstory="b", llm=model, tools=tools, verbose=False)
    task = Task(description=prompt, expected_output="e", agent=agent)
    return Crew(agents=[agent], tasks=[task], verbose=False)


async def run(world: World, script: list[Any], how: How) -> Seen:
    if how.asks:
        raise NotImplementedError(_NO_QUESTIONS)
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    tools = [as_tool(getattr(world, name)) for name in TOOLS]
    outer = list(tools)
    if how.subagent is not None:
        helper = crew_of(how.subagent, Seen(), tools, "look")

        @tool("task")
        def task(what: str) -> str:
            """Has a helper do something."""
            return str(helper.kickoff())

        outer.append(task)
    crew = crew_of(script, seen, outer, how.prompt)

    try:
        with contextlib.nullcontext() if how.bare else hooks:
            answer = await (asyncio.to_thread(crew.kickoff) if how.sync else crew.akickoff())
        seen.final = str(answer)
    except Exception as error:
        seen.raised = error
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
