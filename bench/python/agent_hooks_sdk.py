"""Hooks around a tool call in Python: agent-hooks-sdk, whose host asks its interceptors at a point."""

from __future__ import annotations

from typing import Any, cast

from agent_hooks import AgentContextBuilder, InterceptionEmitter, Verdict
from harness import Variant, main

CALL: dict[str, Any] = {"call_id": "t1", "name": "Bash", "args": {"command": "ls -la"}}
# Its records are kept until they are taken; a host that runs for long bounds them.
MOST_RECORDS = 1_000


class Silent:
    """An interceptor that lets everything pass."""

    async def intercept(self, context: Any) -> Any:
        """Allows."""
        return Verdict.allow()


def host(hooks: int) -> tuple[InterceptionEmitter, AgentContextBuilder]:
    """A host with so many interceptors and its other settings as they come."""
    emitter = InterceptionEmitter()
    emitter.set_max_records(MOST_RECORDS)
    for number in range(hooks):
        # Its types have no room for the coroutines that its documentation allows.
        emitter.register(cast("Any", Silent()), name=f"hook{number}")
    return emitter, AgentContextBuilder(agent_id="agent", framework="bench", session_id="s1")


def emitting(hooks: int) -> Variant:
    """Asks before a tool call; without an interceptor the answer is no, which `emit` would raise."""
    emitter, builder = host(hooks)
    emit = emitter.emit if hooks else emitter.emit_unchecked

    async def run(count: int) -> None:
        for _ in range(count):
            await emit(builder.pre_tool_call(**CALL))

    return run


async def work(args: dict[str, Any]) -> str:
    """A tool."""
    return "done"


def calling(hooks: int) -> Variant:
    """A whole tool call: asked before, done with what the answer left of its arguments, asked after."""
    emitter, builder = host(hooks)

    async def run(count: int) -> None:
        for _ in range(count):
            outcome = await emitter.emit(builder.pre_tool_call(**CALL))
            value = await work(outcome.target)
            await emitter.emit(builder.post_tool_call(**CALL, value=value))

    return run


main(
    {f"agent-hooks-sdk, {hooks} hooks": emitting(hooks) for hooks in (0, 1, 10)}
    | {f"agent-hooks-sdk, tool call, {hooks} hooks before and after": calling(hooks) for hooks in (1, 10)},
    "agent-hooks-sdk",
)
