"""Hooks around a tool call in Python: NeMo Relay, whose guardrails run on a Rust runtime's threads."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from harness import Variant, main
from nemo_relay import ScopeType, ToolExecutionResult, guardrails, scope, tools

ARGS = {"command": "ls -la"}


async def silent(tool: str, args: Any) -> str | None:
    """A guardrail that lets everything pass."""
    return None


async def work(args: Any) -> Any:
    """A tool."""
    return ToolExecutionResult("done")


def guarded(hooks: int, once: Callable[[Any], Awaitable[Any]]) -> Variant:
    """Does something in an agent's scope under so many guardrails, which are the whole process's meanwhile."""

    async def run(count: int) -> float:
        for number in range(hooks):
            guardrails.register_tool_conditional_execution(f"hook{number}", number, silent)
        try:
            with scope.scope("agent-run", ScopeType.Agent) as handle:
                start = time.perf_counter_ns()
                for _ in range(count):
                    await once(handle)
                return time.perf_counter_ns() - start
        finally:
            for number in range(hooks):
                guardrails.deregister_tool_conditional_execution(f"hook{number}")

    return run


async def decide(handle: Any) -> None:
    """Asks the guardrails and nothing else."""
    await tools.conditional_execution("Bash", ARGS)


async def execute(handle: Any) -> None:
    """A whole tool call."""
    await tools.execute("Bash", ARGS, work, handle=handle)


main(
    {f"nemo-relay, {hooks} hooks": guarded(hooks, decide) for hooks in (0, 1, 10)}
    | {f"nemo-relay, tool call, {hooks} hooks": guarded(hooks, execute) for hooks in (0, 1, 10)},
    "nemo-relay",
)
