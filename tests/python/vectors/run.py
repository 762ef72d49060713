"""Runs one case in one style and compares what came of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from hookweave import HookClient, HookweaveError, Outcome

from support import ALL, LIMIT, sleep, until_async

from .comparing import Comparison, check, refused
from .file_hooks import Place, has_file_hooks
from .hooks import World
from .values import decode
from .wire import event_of

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
STYLES = ("sync", "blocking", "async", "trio")
Together: TypeAlias = Callable[[list[Callable[[], Awaitable[Any]]]], Awaitable[list[Any]]]
"""Awaits all of them at once."""

Begun: TypeAlias = Callable[[], Awaitable[None]]
"""Waits until a dispatch has come to where it is to be cancelled."""

NAMES = {"default_timeout_ms": "default_timeout"}

# Where a case sets none, no hook runs into the default timeout.
TEN_MINUTES = 600


def cases() -> list[dict[str, Any]]:
    """Every case of every file."""
    files = [path for path in sorted(FOLDER.glob("*.json")) if path.name not in ("schema.json", "rules.json")]
    files += sorted((FOLDER / "attacks").glob("*.json")) + sorted((FOLDER / "attacks" / "published").glob("*.json"))
    return [case for path in files for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def styles(case: dict[str, Any]) -> Iterator[str]:
    """The styles that can do what the case says."""
    if has_file_hooks(case):
        yield "file-hooks"
        return
    for style in STYLES:
        kind = "async" if style in ("async", "trio") else "sync"
        if case.get("style", kind) == kind and not (kind == "sync" and _needs_async(case)):
            yield style


def rotated(
    cases: Iterable[dict[str, Any]], styles: Callable[[dict[str, Any]], Iterable[str]]
) -> Iterator[tuple[dict[str, Any], str]]:
    """Each case in one of its styles, in turn, so that neighbours differ; or in all of them."""
    turns: Counter[tuple[str, ...]] = Counter()
    for case in cases:
        able = tuple(styles(case))
        if able and not ALL:
            able, turn = (able[turns[able] % len(able)],), able
            turns[turn] += 1
        yield from ((case, style) for style in able)


def _needs_async(case: dict[str, Any]) -> bool:
    text = json.dumps(case)
    return '"hangs"' in text or '"cancel_after_ms"' in text or '"cancel_when"' in text


def make_client(options: dict[str, Any]) -> HookClient:
    """A client with the case's options."""
    return HookClient(**client_options(options))


def client_options(options: dict[str, Any]) -> dict[str, Any]:
    """A case's options as Python has them."""
    given = {NAMES.get(name, name): value for name, value in options.items() if name != "error"}
    limit = given.setdefault("default_timeout", TEN_MINUTES * 1000)
    if isinstance(limit, int | float):
        given["default_timeout"] = limit / 1000
    return given


def run_case(case: dict[str, Any], style: str) -> None:
    """Runs a case in a style."""
    if style != "file-hooks":
        _run_in(case, style, None)
        return
    place = Place(case)
    try:
        _run_in(place.case, style, place)
    finally:
        place.close()


def _run_in(case: dict[str, Any], style: str, place: Place | None) -> None:
    client_options = dict(case.get("client", {}))
    if "error" in client_options:
        refused(client_options["error"], lambda: make_client(client_options))
        return
    if place is not None:
        client_options["project_dir"] = place.project
    world = World(make_client(client_options), style)
    world.host(case)
    for given in case.get("events", []):
        _define(given, world.client.define_event)
    for given in case.get("tools", []):
        _define(given, world.client.define_tool)
    play = _Play(case, world, place)
    play.load(None)
    for entry in case.get("lint", []):
        play.lint(entry)
    for hook in case.get("hooks", []):
        if "error" in hook:
            refused(hook["error"], lambda hook=hook: world.register(hook))
        else:
            world.register(hook)
        play.load(hook.get("name", ""))
    if "dispatch" not in case:
        return
    world.take_records()
    dispatches = case["dispatch"] if isinstance(case["dispatch"], list) else [case["dispatch"]]
    expects = case["expect"] if isinstance(case["expect"], list) else [case["expect"]]
    if style == "trio":
        import trio

        trio.run(play.on_trio, dispatches, expects)
    elif style == "blocking":
        play.blocking(dispatches, expects)
    else:
        asyncio.run(play.on_asyncio(dispatches, expects))


def _define(given: dict[str, Any], define: Callable[..., Any]) -> None:
    arguments = {name: value for name, value in given.items() if name != "error"}
    if "error" in given:
        refused(given["error"], lambda: define(**arguments))
    else:
        define(**arguments)


class _Play:
    def __init__(self, case: dict[str, Any], world: World, place: Place | None) -> None:
        self.case = case
        self.world = world
        self.place = place
        self.comparison = Comparison(world, place)
        self.has_detached = place is not None or '"detached": true' in json.dumps(case)

    def load(self, after: str | None) -> None:
        """Loads the files that come behind a hook, or before all."""
        for entry in self.case.get("load", []):
            if entry.get("after") == after:
                self.load_one(entry)

    def load_one(self, entry: dict[str, Any]) -> None:
        """Loads one file, or what is at the usual places."""
        place, client = self.place, self.world.client
        assert place is not None
        if "error" in entry:
            refused(entry["error"], lambda: place.load(client, entry))
        else:
            check(place.report_faults(entry, place.load(client, entry)))

    def lint(self, entry: dict[str, Any]) -> None:
        """Lints one file."""
        place, client = self.place, self.world.client
        assert place is not None
        if "error" in entry:
            refused(entry["error"], lambda: place.lint(client, entry))
        else:
            check(place.lint(client, entry))

    def prepare(self, dispatch: dict[str, Any]) -> tuple[Any, ...]:
        """Takes the steps before a dispatch; gives its arguments."""
        for step in dispatch.get("before", []):
            if "error" in step:
                refused(step["error"], lambda step=step: self.step(step))
            else:
                self.step(step)
        self.world.ran.clear()
        self.world.hanging = False
        if "from_wire" in dispatch:
            return (event_of(dispatch["from_wire"]),)
        if self.place is not None:
            return (dispatch["event"], self.place.payload(decode(dispatch.get("payload", {}))))
        return (dispatch["event"], decode(dispatch["payload"])) if "payload" in dispatch else (dispatch["event"],)

    async def prepare_awaited(self, dispatch: dict[str, Any], together: Together) -> tuple[Any, ...]:
        """The same, with the steps that are awaited; their order among the others is kept."""
        rest = {**dispatch, "before": []}
        for step in dispatch.get("before", []):
            if "reload" in step:
                assert self.place is not None
                check(self.place.report_faults(step["reload"], await self.world.client.reload()))
            elif "wait_ms" in step:
                await sleep(step["wait_ms"] / 1000)
            elif "dispatches" in step:
                make, times = self.many(step["dispatches"], self.world.client.dispatch)
                if "together" in step["dispatches"]:
                    await together([make] * times)
                else:
                    for _ in range(times):
                        await make()
            else:
                self.prepare({**dispatch, "before": [step]})
        return self.prepare(rest)

    @staticmethod
    def many(given: dict[str, Any], dispatch: Callable[..., Any]) -> tuple[Callable[[], Any], int]:
        """Unchecked dispatches: how to make one, and how many."""
        return partial(dispatch, given["event"], decode(given.get("payload", {}))), given["times"]

    def step(self, step: dict[str, Any]) -> None:
        world, client, place = self.world, self.world.client, self.place
        if place is not None:
            if "write" in step:
                place.write(step["write"])
            if "remove" in step:
                (place.project / step["remove"]).unlink()
            if "load" in step:
                self.load_one(step["load"])
            if "approve" in step:
                place.approve(client, step["approve"])
        if "register" in step:
            world.register(step["register"])
        if "unregister" in step:
            removed = client.unregister_hook(world.id_of(step["unregister"]))
            check([] if removed == step.get("returns", removed) else [f"unregister gave {removed}"])
        if "enable" in step:
            client.enable_hook(world.id_of(step["enable"]))
        if "disable" in step:
            client.disable_hook(world.id_of(step["disable"]))
        if "reset_stats" in step:
            client.stats(reset=True)
        if "dispatches" in step:
            make, times = self.many(step["dispatches"], client.dispatch_sync)
            with ThreadPoolExecutor(times if "together" in step["dispatches"] else 1) as threads:
                for made in [threads.submit(make) for _ in range(times)]:
                    made.result()
        if "close" in step:
            client.close()
        if "define_event" in step:
            client.define_event(**step["define_event"])
        if "define_tool" in step:
            client.define_tool(**step["define_tool"])
        if "explain" in step:
            client.explain(step["explain"]["event"], decode(step["explain"].get("payload", {})))
        if "audit" in step:
            world.keep_log(step["audit"])
        if "client_enabled" in step:
            client.enabled = step["client_enabled"]

    async def on_asyncio(self, dispatches: list[dict[str, Any]], expects: list[dict[str, Any]]) -> None:
        async def together(makes: list[Callable[[], Awaitable[Any]]]) -> list[Any]:
            async def one(make: Callable[[], Awaitable[Any]]) -> Any:
                return await make()

            return await asyncio.gather(*(one(make) for make in makes))

        async def cancelled(make: Callable[[], Awaitable[Any]], begun: Begun) -> bool:
            task = asyncio.ensure_future(make())
            await begun()
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return True
            return False

        await self.awaited(dispatches, expects, together, cancelled)

    async def on_trio(self, dispatches: list[dict[str, Any]], expects: list[dict[str, Any]]) -> None:
        import trio

        async def together(makes: list[Callable[[], Awaitable[Any]]]) -> list[Any]:
            results: list[Any] = []

            async def one(make: Callable[[], Awaitable[Any]]) -> None:
                results.append(await make())

            async with trio.open_nursery() as nursery:
                for make in makes:
                    nursery.start_soon(one, make)
            return results

        async def cancelled(make: Callable[[], Awaitable[Any]], begun: Begun) -> bool:
            async def cancel() -> None:
                await begun()
                scope.cancel()

            with trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(cancel)
                    await make()
                    nursery.cancel_scope.cancel()
            return scope.cancelled_caught

        await self.awaited(dispatches, expects, together, cancelled)

    async def awaited(
        self,
        dispatches: list[dict[str, Any]],
        expects: list[dict[str, Any]],
        together: Together,
        cancelled: Callable[[Callable[[], Awaitable[Any]], Begun], Awaitable[bool]],
    ) -> None:
        client = self.world.client
        if "concurrent" in self.case:
            arguments = self.prepare(dispatches[0])
            outcomes = await together([lambda: client.dispatch(*arguments)] * self.case["concurrent"])
            await self.drain()
            self.comparison.each(expects, outcomes)
            return
        for dispatch, expect in zip(dispatches, expects, strict=True):
            result: Any
            try:
                arguments = await self.prepare_awaited(dispatch, together)
                if self.case.get("explain"):
                    self.comparison.explain(expect, arguments)
                    continue
                if "cancel_after_ms" in dispatch or "cancel_when" in dispatch:
                    make = partial(client.dispatch, *arguments)
                    result = await cancelled(make, partial(self.begun, dispatch))
                else:
                    result = await client.dispatch(*arguments)
            except HookweaveError as error:
                result = error
            await self.drain()
            self.comparison.one(expect, result)

    async def begun(self, dispatch: dict[str, Any]) -> None:
        """Waits until a dispatch is to be cancelled; if any hook of the case hangs, at least until one does."""
        if "cancel_when" in dispatch:
            assert self.place is not None
            file = self.place.project / dispatch["cancel_when"]
            await until_async(file.exists)
        if '"hangs"' in json.dumps(self.case):
            await until_async(lambda: self.world.hanging)
        await sleep(dispatch.get("cancel_after_ms", 0) / 1000)

    async def drain(self) -> None:
        self.world.blocks.close()
        if self.has_detached:
            assert await self.world.client.drain(LIMIT)

    def blocking(self, dispatches: list[dict[str, Any]], expects: list[dict[str, Any]]) -> None:
        client = self.world.client
        if "concurrent" in self.case:
            arguments = self.prepare(dispatches[0])
            outcomes: list[Outcome[Any]] = []
            threads = [
                threading.Thread(target=lambda: outcomes.append(client.dispatch_sync(*arguments)))
                for _ in range(self.case["concurrent"])
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.comparison.each(expects, outcomes)
            return
        for dispatch, expect in zip(dispatches, expects, strict=True):
            result: Any
            try:
                arguments = self.prepare(dispatch)
                if self.case.get("explain"):
                    self.comparison.explain(expect, arguments)
                    continue
                result = client.dispatch_sync(*arguments)
            except HookweaveError as error:
                result = error
            self.world.blocks.close()
            if self.has_detached:
                assert asyncio.run(client.drain(LIMIT))
            self.comparison.one(expect, result)
