"""What a closed client refuses and what of it still works, beyond the vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import ClientClosedError, Event, HookClient

from support import new_client

REFUSED: list[tuple[str, Callable[[HookClient], Any]]] = [
    ("dispatch events", lambda client: client.dispatch_sync("Stop")),
    ("dispatch events", lambda client: client.dispatch("Stop")),
    ("explain events", lambda client: client.explain("Stop")),
    ("register hooks", lambda client: client.register_hook("Stop", nothing)),
    ("register hooks", lambda client: client.hook("Stop")(nothing)),
    ("register hooks", lambda client: client.temporary_hook("Stop", nothing).__enter__()),
    ("define events", lambda client: client.define_event("deploy:late")),
    ("define tools", lambda client: client.define_tool("LateShell", same_as="Bash")),
    ("load hooks from files", lambda client: client.load("no-such-file.json")),
    ("load hooks from files", lambda client: client.discover()),
    ("reload files", lambda client: client.reload_sync()),
    ("reload files", lambda client: asyncio.run(client.reload())),
    ("watch files", lambda client: client.watch()),
    ("open sessions", lambda client: client.session()),
    ("open sessions", lambda client: asyncio.run(client.generate("one", "hello"))),
    ("register tools", lambda client: client.register_tool("Bash", nothing)),
    ("configure its audit log", lambda client: client.configure_audit("info")),
    ("configure its audit log", lambda client: client.set_hook_audit_level("info")),
]


def nothing(event: Event) -> None:
    return None


@pytest.mark.parametrize(("what", "deed"), REFUSED)
def test_everything_that_would_make_something_happen_is_refused(what: str, deed: Callable[[HookClient], Any]) -> None:
    client = new_client()
    client.close()
    with pytest.raises(ClientClosedError, match=f"this client was closed and can no longer {what}; make another one"):
        deed(client)
    assert client.list_hooks() == []


def test_what_it_has_can_be_read_and_taken_out(tmp_path: Path) -> None:
    client = new_client(audit={"file": tmp_path / "audit.jsonl"})
    with client.temporary_hook("Stop", nothing) as id:
        client.dispatch_sync("Stop")
        client.close()
        client.close()
        assert [hook.id for hook in client.list_hooks()] == [id]
        assert client.stats().hooks[0].runs == 1
        client.disable_hook(id)
        client.enable_hook(id)
        client.unwatch()
    assert client.list_hooks() == []
    assert client.audit_anchor is not None
    assert client.flush_audit()


def test_a_session_of_it_ends_without_a_word() -> None:
    async def main() -> None:
        client = new_client()
        heard: list[str] = []
        for event in ("SessionStart", "SessionEnd", "SubagentStop"):
            client.register_hook(event, lambda event: heard.append(event.event_type))
        session = client.session()
        async with session:
            child = session.subagent("explore")
            await child.start()
            await client.aclose()
            with pytest.raises(ClientClosedError):
                await session.run_tool("Bash", {"command": "ls"}, lambda args: "ran")
        assert session.closed
        assert child.closed
        assert heard == ["SessionStart"]

    asyncio.run(main())
