"""The scripted agent in Microsoft's Agent Framework."""

from __future__ import annotations

import json
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)
from hookweave.integrations.agent_framework import HookweaveMiddleware

from world import How, Seen, World

IMPOSSIBLE = {
    "a_blocked_result_is_marked_as_failed": "the framework marks only what a tool raised, and hides the reason then",
    "a_denial_is_heard": "the framework answers a denied call by itself, and no middleware hears of it",
    "sync_run": "the framework is async",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")


class Script(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    """A model that says what it was given to say."""

    def __init__(self, turns: list[Any], seen: Seen) -> None:
        super().__init__()
        self.turns, self.seen = turns, seen

    def _next(self, messages: list[Message]) -> list[Content]:
        lines = []
        for message in messages:
            for content in message.contents:
                if content.type == "function_result":
                    self.seen.failed[content.call_id or ""] = content.exception is not None
                    lines.append(f"[result] {content.result}")
                else:
                    lines.append(f"[{message.role}] {content.text or content.arguments}")
        self.seen.requests.append("\n".join(lines))
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            return [Content.from_text(turn)]
        return [
            Content.from_function_call(call_id=one.id, name=one.name, arguments=json.dumps(one.args)) for one in turn
        ]

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **given: Any) -> Any:
        if stream:

            async def updates() -> Any:
                yield ChatResponseUpdate(contents=self._next(messages), role="assistant", response_id="r")

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", self._next(messages))], response_id="r")

        return answer()


def adapter(world: World, how: How) -> HookweaveMiddleware:
    return HookweaveMiddleware(world.client, approval="request" if how.asks else how.approval)


async def run(world: World, script: list[Any], how: How) -> Seen:
    if how.sync:
        raise NotImplementedError(IMPOSSIBLE["sync_run"])
    seen = Seen()
    hooks = how.hooks or adapter(world, how)
    tools = [tool(getattr(world, name), name=name, approval_mode="never_require") for name in TOOLS]
    middleware: Any = [] if how.bare else [hooks]
    if how.subagent is not None:
        helper = Agent(Script(list(how.subagent), Seen()), name="helper", tools=list(tools), middleware=middleware)

        async def task(what: str) -> str:
            """Has a helper do something."""
            return (await helper.run(what)).text

        tools.append(tool(task, name="task", approval_mode="never_require"))
    agent = Agent(Script(list(script), seen), name="main", tools=tools, middleware=middleware)
    session = AgentSession(session_id=how.conversation)
    prompt: Any = how.prompt
    if how.resume is not None:
        stopped, said = how.resume
        session = AgentSession.from_dict(stopped["session"])
        asked = [Content.from_dict(one) for one in stopped["asked"]]
        prompt = Message("user", [one.to_function_approval_response(said[one.function_call.call_id]) for one in asked])
    try:
        if how.stream:
            running = agent.run(prompt, session=session, stream=True)
            async for update in running:
                seen.streamed += "".join(str(content.to_dict()) for content in update.contents)
            result = await running.get_final_response()
        else:
            result = await agent.run(prompt, session=session)
        seen.final = result.text
        if result.user_input_requests:
            asked = [one.to_dict() for one in result.user_input_requests]
            seen.suspended = json.loads(json.dumps({"session": session.to_dict(), "asked": asked}))
    except Exception as error:
        seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
