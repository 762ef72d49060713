"""Callbacks in Python: the part of claude-agent-sdk that runs in the caller's process, for one hook request."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk._internal.query import Query
from harness import Variant, main
from subjects import PAYLOAD


class NoTransport:
    """Takes what would go to the command line program and drops it."""

    async def write(self, data: str) -> None:
        """Drops a message."""


async def silent(tool_input: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
    """A hook that says nothing."""
    return {}


def answering() -> Variant:
    """Handles a request to run one hook: look-up, call, conversion, JSON."""
    query = Query(transport=NoTransport(), is_streaming_mode=True)
    query.hook_callbacks["hook_0"] = silent
    body = {"subtype": "hook_callback", "callback_id": "hook_0", "input": PAYLOAD, "tool_use_id": "t1"}
    request: Any = {"type": "control_request", "request_id": "1", "request": body}

    async def run(count: int) -> None:
        for _ in range(count):
            await query._handle_control_request(request)

    return run


main({"claude-agent-sdk, in-process part, 1 hook": answering()}, "claude-agent-sdk")
