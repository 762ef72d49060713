"""What the garbage collector, a profiler and a debugger see at every stage of a dispatch, as often as they look."""

from __future__ import annotations

import asyncio
import gc
import logging
import tracemalloc
import weakref
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import hookweave
import pytest
from hookweave import Event, HookClient, HookResponse

from support import ALL, new_client

pytestmark = pytest.mark.memory

EVENT: Final = "PreToolUse"


def walk() -> int:
    """Looks at every object as a memory profiler does, and at who refers to those of the package."""
    objects = gc.get_objects()
    own = [item for item in objects if type(item).__module__.startswith("hookweave")]
    assert all(gc.get_referrers(item) for item in own[:20])
    assert gc.get_referents(*own) is not None
    return len(objects)


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    # pytest keeps log records, and those keep tracebacks.
    logger = logging.getLogger("hookweave")
    before, logger.disabled = logger.disabled, True
    yield
    logger.disabled = before


def test_all_objects_can_be_looked_at_after_a_dispatch() -> None:
    client = new_client()
    client.register_hook(EVENT, lambda event: None)
    client.dispatch_sync(EVENT, tool="Bash", args={})
    assert walk()
    for _ in range(3):
        client.dispatch_sync(EVENT, tool="Bash", args={})
        gc.collect()
    assert walk()


def test_all_objects_can_be_looked_at_while_hooks_run() -> None:
    client = new_client()
    seen: list[int] = []

    @client.hook(EVENT)
    def sync(event: Event) -> None:
        seen.append(walk())
        gc.collect()

    @client.hook(EVENT)
    async def waits(event: Event) -> Any:
        assert event["args"] == {"command": "ls"}
        seen.append(walk())
        await asyncio.sleep(0)
        seen.append(walk())
        gc.collect()
        return HookResponse.continue_(modified={"args": {"command": "ls -l"}})

    async def main() -> None:
        tracemalloc.start()
        try:
            for _ in range(3):
                dispatch = client.dispatch(EVENT, tool="Bash", args={"command": "ls"})
                walk()
                task = asyncio.ensure_future(dispatch)
                await asyncio.sleep(0)
                # It is suspended in the second hook.
                walk()
                tracemalloc.take_snapshot()
                gc.collect()
                outcome = await task
                walk()
                assert outcome.event.args == {"command": "ls -l"}
        finally:
            tracemalloc.stop()

    asyncio.run(main())
    assert len(seen) == 9


def test_an_event_of_one_dispatch_is_no_event_of_the_next() -> None:
    client = new_client()
    seen: list[Any] = []
    client.register_hook(EVENT, lambda event: seen.append(event))
    for number in range(10):
        client.dispatch_sync(EVENT, tool="Bash", args={"number": number})
    assert [event.args["number"] for event in seen] == list(range(10))
    assert len({id(event) for event in seen}) == 10


class Holder:
    """Something that can be referred to weakly."""

    def __init__(self, **own: Any) -> None:
        self.__dict__.update(own)


def test_a_cycle_through_an_event_is_collected() -> None:
    client = new_client()

    def keeps(event: Event) -> None:
        event["metadata"]["holder"].event = event
        event["args"]["event"] = event

    client.register_hook(EVENT, keeps)

    def once() -> weakref.ref[Holder]:
        holder = Holder()
        client.dispatch_sync(EVENT, tool="Bash", args={}, metadata={"holder": holder})
        return weakref.ref(holder)

    dead = once()
    gc.collect()
    assert dead() is None


def test_a_cycle_through_an_outcome_is_collected() -> None:
    client = new_client()

    @client.hook(EVENT)
    def fails(event: Event) -> None:
        raise ValueError("no")

    def once() -> weakref.ref[Holder]:
        holder = Holder()
        outcome = holder.outcome = client.dispatch_sync(EVENT, tool="Bash", args={"holder": holder})  # type: ignore[attr-defined]
        assert outcome.event.args["holder"] is holder
        # The exception's traceback has this frame, and so the outcome.
        return weakref.ref(holder)

    dead = once()
    gc.collect()
    assert dead() is None


def test_a_suspended_dispatch_that_nobody_drives_is_collected() -> None:
    def once() -> weakref.ref[Holder]:
        client, holder = new_client(), Holder()

        async def waits(event: Event) -> None:
            here = holder
            await asyncio.Future()
            assert here

        client.register_hook(EVENT, waits, timeout=None)
        loop = asyncio.new_event_loop()
        dispatch = holder.dispatch = client.dispatch(EVENT, tool="Bash", args={})  # type: ignore[attr-defined]
        asyncio.set_event_loop(loop)
        try:
            loop.call_soon(lambda: dispatch.send(None))
            loop.run_until_complete(asyncio.sleep(0))
        finally:
            asyncio.set_event_loop(None)
            loop.close()
        return weakref.ref(holder)

    dead = once()
    gc.collect()
    assert dead() is None


class Evil(str):
    """A key that equals another one, and does something when it is asked."""

    __slots__ = ("deed",)

    deed: Callable[[], object] | None

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        deed, self.deed = self.deed, None
        if deed is not None:
            deed()
            self.deed = deed
        return False


def test_a_key_that_changes_the_payload_when_it_is_compared() -> None:
    client = new_client()
    client.register_hook(EVENT, lambda event: None, matcher={"tool": "Ba*", "command_pattern": "l+s"})
    for name in ("tool", "args", "cwd", "command", "session_id"):
        payload: dict[Any, Any] = {}
        args: dict[Any, Any] = {}

        def deed(payload: dict[Any, Any] = payload, args: dict[Any, Any] = args) -> None:
            payload["tool"] = "".join(["Ba", "sh"])
            args["command"] = "".join(["l", "s"])
            payload["args"] = dict(args)
            gc.collect()

        evil = Evil(name)
        evil.deed = None
        args[evil] = 1
        payload[evil] = 1
        payload["tool"] = "".join(["Bas", "h"])
        payload["args"] = args
        args["command"] = "".join(["ls", " -l"])
        for _ in range(20 if ALL else 4):
            evil.deed = deed
            outcome = client.dispatch_sync(EVENT, payload)
            assert outcome.decision in ("continue", "block")
            evil.deed = None
            assert outcome.to_dict()["event"]["tool"] == "Bash"


def test_a_key_that_changes_its_dict_when_it_is_hashed() -> None:
    client = new_client()
    seen: list[Any] = []

    class Key:
        def __init__(self, inside: dict[Any, Any]) -> None:
            self.inside = inside

        def __hash__(self) -> int:
            self.inside[len(self.inside)] = [1]
            self.inside.pop("victim", None)
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

    @client.hook(EVENT)
    def touches(event: Event) -> None:
        seen.append(len(event["args"]))

    inside: dict[Any, Any] = {"victim": [1], "other": {"x": [1]}}
    inside[Key(inside)] = [2]
    inside["victim"] = [3]
    outcome = client.dispatch_sync(EVENT, tool="Bash", args=inside)
    assert outcome.decision == "continue"
    assert len(seen) == 1


def test_a_finaliser_that_uses_the_client_in_the_middle_of_a_dispatch() -> None:
    client = new_client()
    ended: list[str] = []

    class Ends:
        def __del__(self) -> None:
            ended.append(client.dispatch_sync("Stop").decision)

    @client.hook(EVENT)
    def leaves(event: Event) -> Any:
        event["args"]["ends"] = Ends()
        return {"modified": {"args": {"ends": Ends()}}}

    @client.hook(EVENT)
    def cycle(event: Event) -> None:
        here: list[Any] = [Ends()]
        here.append(here)

    for _ in range(50):
        client.dispatch_sync(EVENT, tool="Bash", args={})
    gc.collect()
    assert len(ended) == 150
    assert set(ended) == {"continue"}


def test_no_class_but_those_of_events_makes_events(monkeypatch: pytest.MonkeyPatch) -> None:
    class Liar(type):
        def __subclasscheck__(cls, other: type) -> bool:
            return True

    class Wrong(metaclass=Liar):
        pass

    monkeypatch.setitem(hookweave.event.CLASSES, "Notification", Wrong)  # type: ignore[arg-type]
    client = new_client()
    client.register_hook("Notification", lambda event: None)
    with pytest.raises(TypeError, match="no class of events"):
        client.dispatch_sync("Notification", message="x")


def raises(event: Event) -> None:
    raise ValueError(event["args"])


async def raises_later(event: Event) -> None:
    await asyncio.sleep(0)
    raise ValueError(event["args"])


async def hangs(event: Event) -> None:
    await asyncio.sleep(3600)


def answers_wrongly(event: Event) -> Any:
    return {"decision": event["args"]}


async def answers_wrongly_later(event: Event) -> Any:
    return {"decision": event["args"]}


async def cancels(event: Event) -> None:
    raise asyncio.CancelledError


FAILING: Final[dict[str, tuple[Callable[[Any], Any], float, int]]] = {
    "raises": (raises, 600, 400),
    "raises later": (raises_later, 600, 400),
    "times out": (hangs, 0.001, 60),
    "answers wrongly": (answers_wrongly, 600, 400),
    "answers wrongly later": (answers_wrongly_later, 600, 400),
    "is cancelled": (cancels, 600, 400),
}
"""Hooks that fail, their time limit, and how often they are called."""


def failing_client(name: str) -> tuple[HookClient, int]:
    handler, timeout, times = FAILING[name]
    client = new_client()
    client.register_hook(EVENT, handler, timeout=timeout)
    client.register_tool("Bash", lambda args: None)
    return client, times


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("way", ["dispatch", "session", "whole session"])
def test_failing_hooks_leave_nothing_behind(name: str, way: str) -> None:
    client, times = failing_client(name)

    async def run_once() -> Any:
        # What it came to is in this frame, which the exception's traceback may have too.
        outcome = await client.dispatch(EVENT, tool="Bash", args={"command": "ls"})
        assert outcome.trace[0].failure is not None

    async def many(count: int) -> None:
        session = client.session()
        for _ in range(count):
            if way == "dispatch":
                await run_once()
            elif way == "session":
                await session.run_tool("Bash", {"command": "ls"})
            else:
                async with client.session() as own:
                    await own.run_tool("Bash", {"command": "ls"})

    async def main() -> int:
        count = times // 4 if way == "whole session" else times
        await many(20)
        gc.collect()
        before = len(gc.get_objects())
        await many(count)
        gc.collect()
        return len(gc.get_objects()) - before

    assert asyncio.run(main()) < 60


@pytest.mark.parametrize("name", ["raises", "answers wrongly"])
def test_failing_hooks_leave_nothing_behind_without_a_loop(name: str) -> None:
    client, times = failing_client(name)

    def run_once() -> None:
        outcome = client.dispatch_sync(EVENT, tool="Bash", args={"command": "ls"})
        assert outcome.trace[0].failure is not None

    def many(count: int) -> None:
        for _ in range(count):
            run_once()

    many(20)
    gc.collect()
    before = len(gc.get_objects())
    many(times)
    gc.collect()
    assert len(gc.get_objects()) - before < 60


def test_a_dispatch_that_is_cancelled_leaves_nothing_behind() -> None:
    client = new_client()
    client.register_hook(EVENT, hangs)

    async def run_once() -> None:
        task = asyncio.ensure_future(client.dispatch(EVENT, tool="Bash", args={}))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def many(count: int) -> int:
        for _ in range(count):
            await run_once()
        gc.collect()
        return len(gc.get_objects())

    async def main() -> int:
        before = await many(50)
        return await many(300) - before

    assert asyncio.run(main()) < 60


def test_awaiting_is_what_it_says(recwarn: pytest.WarningsRecorder) -> None:
    client = new_client()

    async def twice() -> None:
        dispatch: Awaitable[Any] = client.dispatch("Stop")
        await dispatch
        with pytest.raises(RuntimeError, match="awaited already"):
            await dispatch

    asyncio.run(twice())
    assert not recwarn.list
