"""Context variables: hooks see the caller's, and inline hooks write to them."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

from hookweave import Event

from support import LIMIT, new_client

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


def test_seen_and_set_by_inline_hooks() -> None:
    client = new_client()
    seen: list[str] = []

    @client.hook("Stop")
    def sync(event: Event) -> None:
        seen.append(REQUEST.get())
        REQUEST.set("by sync")

    @client.hook("Stop")
    async def awaited(event: Event) -> None:
        await asyncio.sleep(0)
        seen.append(REQUEST.get())
        REQUEST.set("by async")

    async def main() -> None:
        REQUEST.set("caller")
        await client.dispatch("Stop")
        seen.append(REQUEST.get())

    asyncio.run(main())
    assert seen == ["caller", "by sync", "by async"]


def test_each_task_has_its_own() -> None:
    client = new_client()
    seen: dict[str, str] = {}

    @client.hook("Stop")
    async def awaited(event: Any) -> None:
        await asyncio.sleep(0.001)
        seen[event.status] = REQUEST.get()

    async def dispatch(name: str) -> None:
        REQUEST.set(name)
        await client.dispatch("Stop", status=name)

    async def main() -> None:
        await asyncio.gather(*(dispatch(str(n)) for n in range(20)))

    asyncio.run(main())
    assert seen == {str(n): str(n) for n in range(20)}


def test_threads_get_a_copy() -> None:
    client = new_client()
    seen: list[str] = []

    @client.hook("Stop", run_in_thread=True)
    def blocking(event: Event) -> None:
        seen.append(REQUEST.get())
        REQUEST.set("changed in the thread")

    async def main() -> None:
        REQUEST.set("caller")
        await client.dispatch("Stop")
        seen.append(REQUEST.get())

    asyncio.run(main())
    REQUEST.set("sync caller")
    client.dispatch_sync("Stop")
    assert [*seen, REQUEST.get()] == ["caller", "caller", "sync caller", "sync caller"]


def test_parallel_hooks_keep_their_writes_to_themselves() -> None:
    client = new_client(mode="parallel")
    seen: list[str] = []

    async def awaited(event: Event) -> None:
        seen.append(REQUEST.get())
        REQUEST.set("by a hook")
        await asyncio.sleep(0)

    client.register_hook("Stop", awaited)
    client.register_hook("Stop", awaited)

    async def main() -> None:
        REQUEST.set("caller")
        await client.dispatch("Stop")
        seen.append(REQUEST.get())

    asyncio.run(main())
    assert seen == ["caller"] * 3


def test_detached_hooks_see_the_caller_s() -> None:
    client = new_client()
    seen: list[str] = []

    @client.hook("Stop", detached=True)
    async def later(event: Event) -> None:
        await asyncio.sleep(0)
        seen.append(REQUEST.get())

    async def main() -> None:
        REQUEST.set("caller")
        await client.dispatch("Stop")
        REQUEST.set("afterwards")
        assert await client.drain(LIMIT)

    asyncio.run(main())
    assert seen == ["caller"]
