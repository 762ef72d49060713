"""The scripted agent in Google's Agent Development Kit."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types
from hookweave.integrations.google_adk import HookweavePlugin

from world import How, Seen, World

IMPOSSIBLE = {
    "stop_hook_keeps_the_agent_at_work": "ADK ends a run when its model calls no tool, and no plugin can change that",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")
WHO: Any = {"app_name": "app", "user_id": "u"}


class Script(BaseLlm):
    """A model that says what it was given to say."""

    model: str = "script"
    turns: list[Any]
    seen: Any

    async def generate_content_async(self, request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        lines = []
        for content in request.contents:
            for part in content.parts or ():
                if (response := part.function_response) is not None:
                    self.seen.failed[response.id] = "error" in response.response
                    lines.append(f"[result] {json.dumps(response.response)}")
                else:
                    lines.append(f"[{content.role}] {part.text or json.dumps(part.function_call.args)}")
        self.seen.requests.append("\n".join(lines))
        turn = self.turns.pop(0)
        calls = [] if isinstance(turn, str) else turn
        parts = [
            types.Part(function_call=types.FunctionCall(name=call.name, args=call.args, id=call.id)) for call in calls
        ]
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text=turn)]))


def adapter(world: World, how: How) -> HookweavePlugin:
    return HookweavePlugin(world.client, approval="confirmation" if how.asks else how.approval)


async def said_by(agent: LlmAgent, plugins: list[Any], prompt: str) -> str:
    """What an agent of its own session answers."""
    app = App(name="app", root_agent=agent, plugins=plugins)
    runner = Runner(app=app, session_service=InMemorySessionService())
    session = await runner.session_service.create_session(**WHO)
    said = ""
    message = types.Content(role="user", parts=[types.Part(text=prompt)])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        said = "".join(part.text or "" for part in event.content.parts)
    return said


def answer_to(asked: dict[str, Any], said: dict[str, bool]) -> types.Part:
    """What a person said, as ADK wants it."""
    confirmation, call = asked["args"]["toolConfirmation"], asked["args"]["originalFunctionCall"]
    response = {"confirmed": said[call["id"]], "payload": confirmation["payload"]}
    return types.Part(function_response=types.FunctionResponse(id=asked["id"], name=asked["name"], response=response))


async def parts_of(runner: Runner, given: dict[str, Any], sync: bool) -> list[types.Part]:
    """All that a run tells."""
    if sync:
        events = await asyncio.to_thread(lambda: list(runner.run(**given)))
    else:
        async with contextlib.aclosing(runner.run_async(**given)) as running:
            events = [event async for event in running]
    return [part for event in events for part in (event.content.parts if event.content else None) or ()]


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    plugins = [] if how.bare else [hooks]
    tools: list[Any] = [getattr(world, name) for name in TOOLS]
    if how.subagent is not None:
        helper = LlmAgent(name="helper", model=Script(turns=list(how.subagent), seen=Seen()), tools=list(tools))

        async def task(what: str) -> str:
            """Has a helper do something."""
            return await said_by(helper, plugins, what)

        tools.append(task)
    service: Any = InMemorySessionService()
    if how.state is not None:
        service = SqliteSessionService(str(how.state / "saved.sqlite"))
    agent = LlmAgent(name="main", model=Script(turns=list(script), seen=seen), tools=tools)
    runner = Runner(app=App(name="app", root_agent=agent, plugins=plugins), session_service=service)
    parts = [types.Part(text=how.prompt)]
    if how.resume is None:
        await service.create_session(session_id=how.conversation, **WHO)
    else:
        questions, said = how.resume
        parts = [answer_to(asked, said) for asked in questions]
    config = RunConfig(streaming_mode=StreamingMode.SSE if how.stream else StreamingMode.NONE)
    given: dict[str, Any] = {
        "user_id": "u",
        "session_id": how.conversation,
        "new_message": types.Content(role="user", parts=parts),
        "run_config": config,
    }
    questions = []
    try:
        for part in await parts_of(runner, given, how.sync):
            seen.streamed += str(part) if how.stream else ""
            call = part.function_call
            if call is not None and call.name == "adk_request_confirmation":
                questions.append({"id": call.id, "name": call.name, "args": call.args})
            seen.final = part.text or seen.final
    except Exception as error:
        seen.raised = error
    seen.suspended = questions or None
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
