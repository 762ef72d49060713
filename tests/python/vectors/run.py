"""Runs one case in one style and compares what came of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookweaveError, Outcome

from .hooks import World
from .native import Place, is_native
from .values import decode, fits

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
STYLES = ("sync", "blocking", "async", "trio")
NAMES = {"default_timeout_ms": "default_timeout"}


class Mismatch(AssertionError):
    """What a case expects did not come."""


def cases() -> list[dict[str, Any]]:
    """Every case of every file."""
    files = [path for path in sorted(FOLDER.glob("*.json")) if path.name not in ("schema.json", "rules.json")]
    return [case for path in files for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def styles(case: dict[str, Any]) -> Iterator[str]:
    """The styles that can do what the case says."""
    if is_native(case):
        yield "native"
        return
    for style in STYLES:
        kind = "async" if style in ("async", "trio") else "sync"
        if case.get("style", kind) == kind and not (kind == "sync" and _needs_async(case)):
            yield style


def _needs_async(case: dict[str, Any]) -> bool:
    text = json.dumps(case)
    return '"hangs"' in text or '"cancel_after_ms"' in text


def check(faults: list[str]) -> None:
    """Fails with all faults."""
    if faults:
        raise Mismatch("\n".join(faults))


def refused(wanted: dict[str, Any], act: Callable[[], Any]) -> None:
    """Checks that something is refused with this code and message."""
    try:
        act()
    except HookweaveError as error:
        check(_error_faults(wanted, error))
        return
    raise Mismatch(f"not refused; expected {wanted}")


def _error_faults(wanted: dict[str, Any], error: BaseException) -> list[str]:
    code = getattr(error, "code", None)
    if code != wanted["code"]:
        return [f"code {code!r} is not {wanted['code']!r}: {error!r}"]
    texts = wanted.get("contains", [])
    return fits({"$contains": texts}, str(error), "message")


def make_client(options: dict[str, Any]) -> HookClient:
    """A client with the case's options."""
    given = {NAMES.get(name, name): value for name, value in options.items() if name != "error"}
    limit = given.get("default_timeout")
    if isinstance(limit, int | float):
        given["default_timeout"] = limit / 1000
    return HookClient(**given)


def run_case(case: dict[str, Any], style: str) -> None:
    """Runs a case in a style."""
    if style != "native":
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
    for given in case.get("events", []):
        _define(given, world.client.define_event)
    for given in case.get("tools", []):
        _define(given, world.client.define_tool)
    play = _Play(case, world, place)
    play.load(None)
    for hook in case.get("hooks", []):
        if "error" in hook:
            refused(hook["error"], lambda hook=hook: world.register(hook))
        else:
            world.register(hook)
        play.load(hook.get("name", ""))
    if "dispatch" not in case:
        return
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

    def prepare(self, dispatch: dict[str, Any]) -> tuple[Any, ...]:
        """Takes the steps before a dispatch; gives its arguments."""
        for step in dispatch.get("before", []):
            if "error" in step:
                refused(step["error"], lambda step=step: self.step(step))
            else:
                self.step(step)
        self.world.ran.clear()
        if self.place is not None:
            return (dispatch["event"], self.place.payload(decode(dispatch.get("payload", {}))))
        return (dispatch["event"], decode(dispatch["payload"])) if "payload" in dispatch else (dispatch["event"],)

    async def prepare_place(self, dispatch: dict[str, Any]) -> tuple[Any, ...]:
        """The same, with the steps that a place takes; their order among the others is kept."""
        rest = {**dispatch, "before": []}
        for step in dispatch.get("before", []):
            if "reload" in step:
                assert self.place is not None
                check(self.place.report_faults(step["reload"], await self.world.client.reload()))
            elif "wait_ms" in step:
                await asyncio.sleep(step["wait_ms"] / 1000)
            else:
                self.prepare({**dispatch, "before": [step]})
        return self.prepare(rest)

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
        if "client_enabled" in step:
            client.enabled = step["client_enabled"]

    async def on_asyncio(self, dispatches: list[dict[str, Any]], expects: list[dict[str, Any]]) -> None:
        async def together(makes: list[Callable[[], Awaitable[Any]]]) -> list[Any]:
            async def one(make: Callable[[], Awaitable[Any]]) -> Any:
                return await make()

            return await asyncio.gather(*(one(make) for make in makes))

        async def cancelled(make: Callable[[], Awaitable[Any]], seconds: float) -> bool:
            task = asyncio.ensure_future(make())
            await asyncio.sleep(seconds)
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

        async def cancelled(make: Callable[[], Awaitable[Any]], seconds: float) -> bool:
            with trio.move_on_after(seconds) as scope:
                await make()
            return scope.cancelled_caught

        await self.awaited(dispatches, expects, together, cancelled)

    async def awaited(
        self,
        dispatches: list[dict[str, Any]],
        expects: list[dict[str, Any]],
        together: Callable[[list[Callable[[], Awaitable[Any]]]], Awaitable[list[Any]]],
        cancelled: Callable[[Callable[[], Awaitable[Any]], float], Awaitable[bool]],
    ) -> None:
        client = self.world.client
        if "concurrent" in self.case:
            arguments = self.prepare(dispatches[0])
            outcomes = await together([lambda: client.dispatch(*arguments)] * self.case["concurrent"])
            await self.drain()
            self.compare_all(expects, outcomes)
            return
        for dispatch, expect in zip(dispatches, expects, strict=True):
            arguments = self.prepare(dispatch) if self.place is None else await self.prepare_place(dispatch)
            if self.case.get("explain"):
                self.explain(expect, arguments)
                continue
            result: Any
            try:
                if "cancel_after_ms" in dispatch:
                    make = partial(client.dispatch, *arguments)
                    result = await cancelled(make, dispatch["cancel_after_ms"] / 1000)
                else:
                    result = await client.dispatch(*arguments)
            except HookweaveError as error:
                result = error
            await self.drain()
            self.compare(expect, result)

    async def drain(self) -> None:
        self.world.blocks.close()
        if self.has_detached:
            assert await self.world.client.drain(5)

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
            self.compare_all(expects, outcomes)
            return
        for dispatch, expect in zip(dispatches, expects, strict=True):
            arguments = self.prepare(dispatch)
            if self.case.get("explain"):
                self.explain(expect, arguments)
                continue
            result: Any
            try:
                result = client.dispatch_sync(*arguments)
            except HookweaveError as error:
                result = error
            self.world.blocks.close()
            if self.has_detached:
                asyncio.run(client.drain(5))
            self.compare(expect, result)

    def compare_all(self, expects: list[dict[str, Any]], outcomes: list[Outcome[Any]]) -> None:
        """Each outcome fits another expectation, in any order."""
        left = list(outcomes)
        for expect in expects:
            for outcome in left:
                if not self.faults(expect, outcome):
                    left.remove(outcome)
                    break
            else:
                raise Mismatch(f"no outcome fits {expect}: {[one.to_dict() for one in left]}")
        check(self.world.faults)

    def compare(self, expect: dict[str, Any], result: Any) -> None:
        check([*self.faults(expect, result), *self.world.faults])

    def faults(self, expect: dict[str, Any], result: Any) -> list[str]:
        """Where a dispatch's result differs from what is expected."""
        world = self.world
        world.mutate_kept()
        faults: list[str] = [] if self.place is None else self.place.faults(expect)
        rest = {name: one for name, one in expect.items() if name not in ("saw", "requests")}
        if "error" in rest:
            wanted = rest.pop("error")
            if not isinstance(result, HookweaveError):
                return [f"no error; expected {wanted}, got {result.to_dict()}"]
            faults += _error_faults(wanted, result)
        elif isinstance(result, HookweaveError):
            return [f"unexpected {result!r}"]
        if rest.pop("cancelled", False) and result is not True:
            return [f"not cancelled: {result!r}"]
        if "ran" in rest:
            faults += fits(rest.pop("ran"), list(world.ran), "ran")
        for name, count in rest.pop("runs", {}).items():
            faults += fits(count, world.runs.get(name, 0), f"runs.{name}")
        if "hooks_left" in rest:
            names = sorted(hook.name for hook in world.client.list_hooks())
            faults += fits(sorted(rest.pop("hooks_left")), names, "hooks_left")
        if "unmatched" in rest:
            wanted = rest.pop("unmatched")
            got = [{"hook": one.hook, "why": one.why} for one in result.unmatched]
            faults += fits([_explained(one) for one in wanted], got, "unmatched")
        if rest:
            canonical = result.to_dict()
            last = {entry["hook"]: entry for entry in canonical.get("trace", [])}
            faults += fits(rest.pop("trace_of", {}), last, "trace_of")
            faults += fits(rest, canonical)
        return faults

    def explain(self, expect: dict[str, Any], arguments: tuple[Any, ...]) -> None:
        """Explains instead of dispatching."""
        if "error" in expect:
            refused(expect["error"], lambda: self.world.client.explain(*arguments))
            return
        explained = self.world.client.explain(*arguments)
        got = [{"hook": one.hook, "matched": one.matched, "why": one.why} for one in explained]
        check(fits([_explained(one) for one in expect["explain"]], got, "explain"))
        check([] if self.place is None else self.place.faults(expect))


def _explained(wanted: dict[str, Any]) -> dict[str, Any]:
    pattern = {name: value for name, value in wanted.items() if name != "why_contains"}
    if "why_contains" in wanted:
        pattern["why"] = {"$contains": wanted["why_contains"]}
    return pattern
