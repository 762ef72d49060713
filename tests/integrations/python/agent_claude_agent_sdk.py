"""The scripted agent in Claude Code itself, as the SDK starts it; only its model is a script."""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import AsyncIterator
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, ToolAnnotations, create_sdk_mcp_server, query, tool
from hookweave.integrations.claude_agent_sdk import hooks_of

from messages_api import MessagesApi
from world import How, Seen, World

_WAITS = "Claude Code waits for can_use_tool in the same process"
IMPOSSIBLE = {
    "retry": "Claude Code runs the tools, and no callback can have one run again",
    "prompt_changed": "Claude Code takes no other prompt; it is refused",
    "sync_run": "the SDK is async",
    **dict.fromkeys(
        (
            "suspend_and_approve_in_another_process",
            "suspend_and_deny_in_another_process",
            "a_denial_is_heard",
            "two_questions_at_once",
            "a_hook_that_asks_once_is_denied_after_all",
            "a_denial_holds_if_no_hook_asks_any_more",
        ),
        _WAITS,
    ),
}
SCHEMAS: dict[str, dict[str, type]] = {
    "bash": {"command": str},
    "fetch": {"url": str},
    "read": {"path": str},
    "flaky": {"what": str},
    "broken": {"what": str},
    "slow": {"n": int},
}
PREFIX = "mcp__world__"


def adapter(world: World, how: How) -> Any:
    return hooks_of(world.client, approval=how.approval, name_of=lambda name: name.removeprefix(PREFIX))


def server_of(world: World) -> Any:
    """The tools, in this process."""

    def made(name: str) -> Any:
        async def run(args: dict[str, Any]) -> dict[str, Any]:
            output = getattr(world, name)(**args)
            return {"content": [{"type": "text", "text": await output if inspect.isawaitable(output) else output}]}

        return tool(name, name, SCHEMAS[name], annotations=ToolAnnotations(readOnlyHint=name == "slow"))(run)

    return create_sdk_mcp_server("world", tools=[made(name) for name in SCHEMAS])


async def _prompt(text: str) -> AsyncIterator[dict[str, Any]]:
    """The prompt as a stream, which the SDK wants where it asks this program."""
    yield {"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": None, "session_id": ""}


async def run(world: World, script: list[Any], how: How, can_use_tool: Any = None) -> Seen:
    if how.asks or how.sync:
        raise NotImplementedError(_WAITS)
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "ANTHROPIC"))]:
        del os.environ[name]
    seen, hooks = Seen(), how.hooks or adapter(world, how)
    if how.subagent is not None:
        for call in script[0]:
            asked = {"description": "look", "prompt": "SUBAGENT look", "subagent_type": "general-purpose"}
            call.name, call.args = "Agent", asked
    api = MessagesApi(list(script), seen, PREFIX, None if how.subagent is None else list(how.subagent))
    with tempfile.TemporaryDirectory(prefix="claude-home-", ignore_cleanup_errors=True) as home:
        quiet = dict.fromkeys(
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"), "1"
        )
        own = {"HOME": home, "CLAUDE_CONFIG_DIR": home, "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "of no use"}
        options = ClaudeAgentOptions(
            hooks=None if how.bare else hooks,
            mcp_servers={"world": server_of(world)},
            cwd=home,
            allowed_tools=[PREFIX + name for name in SCHEMAS],
            setting_sources=[],
            can_use_tool=can_use_tool,
            env={**quiet, **own},
        )
        try:
            async for message in query(
                prompt=how.prompt if can_use_tool is None else _prompt(how.prompt), options=options
            ):
                seen.streamed += str(message) if how.stream else ""
                if isinstance(message, ResultMessage):
                    seen.final = message.result or ""
        except Exception as error:
            seen.raised = error
        finally:
            api.close()
    if how.hooks is None:
        await hooks.aclose()
    return seen


run.adapter = adapter  # type: ignore[attr-defined]
