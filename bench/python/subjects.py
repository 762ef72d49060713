"""What several Python benchmarks measure: the floor, and hookweave with some hooks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from harness import Variant
from hookweave import HookClient

Payload = dict[str, Any]
Handler = Callable[[Any], Any]
EVENT: Final = "PreToolUse"
PAYLOAD: Payload = {"tool": "Bash", "args": {"command": "ls -la"}, "session_id": "s1"}


async def silent(event: Any) -> None:
    """An async hook that says nothing."""


def silent_sync(event: Any) -> None:
    """A sync hook that says nothing."""


def floor(hooks: list[Callable[[Any], Awaitable[Any]]], payload: Payload = PAYLOAD) -> Variant:
    """The least that running async hooks can cost: awaiting each in a loop."""

    async def dispatch(event: Payload) -> Any:
        answer = None
        for hook in hooks:
            answer = await hook(event)
        return answer

    async def run(count: int) -> None:
        for _ in range(count):
            await dispatch(payload)

    return run


def unlimited() -> HookClient:
    """A client that takes any number of hooks."""
    return HookClient(max_hooks_per_event=None, max_total_hooks=None)


def client_with(handler: Handler, count: int) -> HookClient:
    """A client with so many hooks that match, and one that does not."""
    client = unlimited()
    client.register_hook(EVENT, silent_sync, matcher={"tool": "Write"})
    for number in range(count):
        client.register_hook(EVENT, handler, name=f"hook{number}", matcher={"tool": "Bash"})
    return client


def dispatching(client: HookClient, payload: Payload = PAYLOAD) -> Variant:
    """Dispatches as a user does: a name and a dict."""

    async def run(count: int) -> None:
        for _ in range(count):
            await client.dispatch(EVENT, payload)

    return run


def dispatching_sync(client: HookClient, payload: Payload = PAYLOAD) -> Variant:
    """The same from code that has no event loop."""

    async def run(count: int) -> None:
        for _ in range(count):
            client.dispatch_sync(EVENT, payload)

    return run
