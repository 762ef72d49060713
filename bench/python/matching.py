"""Hooks that cannot match must cost nothing: 50 and 10,000 registered, one of them for the event's tool."""

from __future__ import annotations

from typing import Any

from harness import Variant, main
from subjects import EVENT, PAYLOAD, dispatching, silent, unlimited

COMMAND = "git log --oneline --decorate && " + "pytest -q tests/unit && " * 28 + "echo done"


def among(total: int, matcher: str, command: str = "ls -la") -> Variant:
    """One hook that matches among so many that do not; `{}` in a matcher is the hook's number."""
    client = unlimited()
    for number in range(total - 1):
        condition: Any = {"tool": f"Tool{number}"} if matcher == "tool" else {"command_pattern": rf"\bjob-{number}\b"}
        client.register_hook(EVENT, silent, name=f"other{number}", matcher=condition)
    client.register_hook(EVENT, silent, matcher={"tool": "Bash"})
    return dispatching(client, {**PAYLOAD, "args": {"command": command}})


main(
    {
        "50 hooks, other tools": among(50, "tool"),
        "10,000 hooks, other tools": among(10_000, "tool"),
        "10,000 hooks, command patterns": among(10_000, "command"),
        "10,000 hooks, command patterns, 700-byte command": among(10_000, "command", COMMAND),
    }
)
