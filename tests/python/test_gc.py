"""Clients and handlers that refer to each other are collected; running dispatches are not."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from typing import Any

import pytest
from hookweave import Event

from support import new_client

pytestmark = pytest.mark.memory


class Owner:
    """Holds a client whose hook holds the owner."""

    def __init__(self) -> None:
        self.client = new_client()
        self.client.register_hook("Stop", self.handle)
        self.client.register_hook("PreToolUse", lambda event: self)

    def handle(self, event: Event) -> None:
        """Does nothing."""


def test_a_cycle_through_a_client_is_collected() -> None:
    owner = Owner()
    for _ in range(3):
        owner.client.dispatch_sync("Stop")
    dead = weakref.ref(owner), weakref.ref(owner.client)
    del owner
    gc.collect()
    assert [ref() for ref in dead] == [None, None]


def test_an_unregistered_handler_is_let_go() -> None:
    client = new_client()

    def handler(event: Event) -> None: ...

    dead = weakref.ref(handler)
    hook = client.register_hook("Stop", handler)
    client.dispatch_sync("Stop")
    del handler
    client.unregister_hook(hook)
    client.dispatch_sync("Stop")
    gc.collect()
    assert dead() is None


def test_a_running_dispatch_keeps_its_client() -> None:
    ran: list[str] = []

    def make() -> Any:
        client = new_client()

        @client.hook("Stop")
        async def first(event: Event) -> None:
            await asyncio.sleep(0)
            gc.collect()

        @client.hook("Stop")
        def second(event: Event) -> None:
            ran.append(str(client.list_hooks()[1].name))

        return client.dispatch("Stop")

    async def main() -> None:
        dispatch = make()
        gc.collect()
        await dispatch

    asyncio.run(main())
    assert ran == ["second"]


def test_collecting_inside_every_hook_is_harmless() -> None:
    client = new_client()
    kept: list[Any] = []

    def handler(event: Event) -> dict[str, Any]:
        kept.append(client.dispatch_sync("SessionEnd", reason="x"))
        gc.collect()
        return {"modified": {"args": {"round": len(kept)}}}

    client.register_hook("PreToolUse", handler)
    client.register_hook("PreToolUse", handler)
    for _ in range(5):
        client.dispatch_sync("PreToolUse", tool="x", args={})
    gc.collect()
    assert [outcome.decision for outcome in kept] == ["continue"] * 10


def test_nothing_is_left_behind_by_dispatches(caplog: pytest.LogCaptureFixture) -> None:
    # pytest keeps log records, and those keep tracebacks.
    caplog.set_level(logging.CRITICAL, "hookweave")
    client = new_client()

    class Leaf:
        pass

    leaf = Leaf()
    dead = weakref.ref(leaf)

    @client.hook("PreToolUse")
    async def handler(event: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"modified": {"args": {**event.args, "more": 1}}}

    @client.hook("PreToolUse", fail_behavior="block")
    async def failing(event: Any) -> None:
        await asyncio.sleep(0)
        raise ValueError(event.args["leaf"])

    async def main(leaf: Leaf) -> None:
        for _ in range(10):
            assert (await client.dispatch("PreToolUse", tool="x", args={"leaf": leaf})).blocked

    asyncio.run(main(leaf))
    del leaf
    gc.collect()
    assert dead() is None
