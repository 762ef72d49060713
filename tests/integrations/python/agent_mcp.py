"""A scripted client of an MCP server: what the tools give is what a model would read."""

from __future__ import annotations

from typing import Any

from hookweave.integrations.mcp import HookweaveMiddleware
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ElicitResult, InputRequiredResult

from world import How, Seen, World

_TOOLS_ONLY = "a server sees calls of its tools, and nothing of the agent"
IMPOSSIBLE = {
    "prompt_refused": _TOOLS_ONLY,
    "prompt_changed": _TOOLS_ONLY,
    "stop_ends_the_turn": _TOOLS_ONLY,
    "stop_hook_keeps_the_agent_at_work": _TOOLS_ONLY,
    "subagent": _TOOLS_ONLY,
    "a_note_follows_all_results": "a server gives each result by itself, and knows of no others",
    "context_injected": "hooks of a server are heard with its first result, when the model was called already",
    "a_streamed_result_was_judged": "a server gives a result as a whole",
    "sync_run": "MCP servers are async",
}
TOOLS = ("bash", "fetch", "read", "flaky", "broken", "slow")
# Both processes unseal the state of a call with it.
KEY = "a key that is known to the tests alone"


def adapter(world: World, how: How) -> HookweaveMiddleware:
    approval = "client" if how.asks else how.approval
    return HookweaveMiddleware(world.client, approval=approval, session_of=lambda ctx: (ctx.meta or {}).get("chat"))


async def run(world: World, script: list[Any], how: How) -> Seen:
    seen = Seen()
    if how.sync:
        raise NotImplementedError(IMPOSSIBLE["sync_run"])
    hooks = how.hooks or adapter(world, how)
    security = RequestStateSecurity(keys=[KEY])
    server = MCPServer("world", middleware=[] if how.bare else [hooks], request_state_security=security)
    for name in TOOLS:
        server.tool()(getattr(world, name))
    lines = [f"[user] {how.prompt}"]
    waiting: list[dict[str, Any]] = []

    async def call(client: Client, id: str, name: str, args: dict[str, Any], again: dict[str, Any]) -> None:
        meta: Any = {"chat": how.conversation}
        result = await client.session.call_tool(name, args, meta=meta, allow_input_required=True, **again)
        if isinstance(result, InputRequiredResult):
            asked = list(result.input_requests or {})
            waiting.append({"id": id, "name": name, "args": args, "asked": asked, "state": result.request_state})
            return
        lines.append("[tool] " + "\n".join(block.text for block in result.content if block.type == "text"))
        seen.failed[id] = bool(result.is_error)

    try:
        async with Client(server) as client:
            if how.resume is not None:
                stopped, said = how.resume
                lines = list(stopped["lines"])
                for one in stopped["waiting"]:
                    content: Any = {"decision": "Allow once" if said[one["id"]] else "Deny"}
                    answers = {key: ElicitResult(action="accept", content=content) for key in one["asked"]}
                    again = {"input_responses": answers, "request_state": one["state"]}
                    await call(client, one["id"], one["name"], one["args"], again)
            for turn in script:
                if waiting:
                    break
                seen.requests.append("\n".join(lines))
                if isinstance(turn, str):
                    seen.final = turn
                    break
                for one in turn:
                    await call(client, one.id, one.name, one.args, {})
        if waiting:
            seen.suspended = {"waiting": waiting, "lines": lines}
    except Exception as error:
        seen.raised = error
    if seen.suspended is None and how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
