"""Handlers that do what a vector says."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from hookweave import Event, HookClient, HookResponse, LateAnswer

from support import LIMIT, sleep

from .values import MISSING, decode, fits

IN_THE_WAY = (TypeError, AttributeError, KeyError, IndexError, ValueError)


FLEETING = ("seq", "time", "dispatch", "hook_id", "duration_us", "input", "prev", "hash")
"""What of a record differs from run to run."""


class World:
    """One case under way: its client, what ran, and what went wrong inside handlers."""

    def __init__(self, client: HookClient, style: str) -> None:
        self.client = client
        self.is_async = style in ("async", "trio", "file-hooks")
        self.style = style
        # Hooks begin on several threads in one style.
        self.lock = threading.RLock()
        self.hanging = False
        self.ran: list[str] = []
        self.runs: dict[str, int] = {}
        self.faults: list[str] = []
        self.later: list[Callable[[], None]] = []
        self.blocks = ExitStack()
        self.ids: dict[str, str] = {}
        self.late: list[dict[str, Any]] = []
        self.records: list[dict[str, Any]] = []

    def host(self, case: dict[str, Any]) -> None:
        """Sets who answers for the host, and who hears late answers, as the case says."""
        # Their start is not awaited: they are no hooks, so they count in `runs` and not in `ran`.
        if "judge" in case:
            self.client.set_judge(AsyncHandler(self, "judge", {**case["judge"], "detached": True}))
        if "tool_caller" in case:
            self.client.set_tool_caller(AsyncHandler(self, "tool_caller", {**case["tool_caller"], "detached": True}))
        if "audit" in case:
            self.keep_log(case["audit"])
        if "listener" in case:
            self.client.on_late_answer(partial(self._hear, case["listener"].get("raises")))

    def keep_log(self, audit: Any) -> None:
        """Keeps an audit log, at a level or with options."""
        options = {"level": audit} if isinstance(audit, str) else dict(audit)
        if options.get("required"):
            options["file"] = Path(tempfile.mkdtemp(prefix="hookweave-")) / "audit.jsonl"
        self.client.configure_audit({**options, "callback": self._record})

    def _record(self, record: dict[str, Any]) -> None:
        lasting = {name: value for name, value in record.items() if name not in FLEETING}
        if "payload" in record.get("input", {}):
            lasting["payload"] = record["input"]["payload"]
        self.records.append(lasting)

    def take_records(self) -> list[dict[str, Any]]:
        """What was recorded since the last look, without what differs from run to run."""
        assert self.client.flush_audit(LIMIT)
        records, self.records[:] = self.records[:], []
        return records

    def _hear(self, raises: str | None, answer: LateAnswer) -> None:
        self.late.append(asdict(answer))
        if raises is not None:
            raise RuntimeError(raises)

    def register(self, hook: dict[str, Any]) -> None:
        """Registers a hook of the case, once or as often as it says."""
        for number in range(1, hook.get("repeat", 1) + 1):
            name = f"{hook['name']}-{number}" if "repeat" in hook else hook.get("name")
            self._register_one(hook, name)

    def _register_one(self, hook: dict[str, Any], name: str | None) -> None:
        if "guard" in hook:
            self.client.guard(**{"rule": None, "reason": None, **hook["guard"]})
            return
        if "ask_before" in hook:
            self.client.ask_before(**{"rule": None, **hook["ask_before"]})
            return
        if "ready_made" in hook:
            register_ready_made(self.client, dict(hook["ready_made"]))
            return
        passed = (
            "matcher",
            "priority",
            "scope",
            "fail_behavior",
            "enforcement",
            "once",
            "mandatory",
            "detached",
            "enabled",
        )
        options: dict[str, Any] = {key: hook[key] for key in passed if key in hook}
        if name is not None:
            options["name"] = name
        if "timeout_ms" in hook:
            limit = hook["timeout_ms"]
            options["timeout"] = None if limit is None else limit / 1000
        known = name or f"unnamed {len(self.runs)}"
        handler = (AsyncHandler if self.is_async else SyncHandler)(self, known, hook)
        if hook.get("temporary"):
            self.blocks.enter_context(self.client.temporary_hook(hook["event"], handler, **options))
            return
        self.ids[known] = self.client.register_hook(hook["event"], handler, **options)
        self.runs.setdefault(known, 0)

    def mutate_kept(self) -> None:
        """Changes what hooks answered and kept."""
        later, self.later = self.later, []
        for change in later:
            change()

    def id_of(self, name: str) -> str:
        """A hook's id; a name that no hook has stands for itself."""
        return self.ids.get(name, name)


class Handler:
    """A handler without a ``__name__``, so that only the case names its hook."""

    def __init__(self, world: World, name: str, hook: dict[str, Any]) -> None:
        self.world = world
        self.name = name
        does = hook.get("does", {})
        self.does = does if isinstance(does, list) else [does]
        self.sees = hook.get("sees", [])
        self.detached = hook.get("detached", False)
        self.run = 0

    def begin(self, event: Event) -> dict[str, Any]:
        """Notes the run and checks what the handler sees; gives what to do."""
        with self.world.lock:
            return self._begin(event)

    def _begin(self, event: Event) -> dict[str, Any]:
        world = self.world
        world.mutate_kept()
        world.runs[self.name] = world.runs.get(self.name, 0) + 1
        if not self.detached:
            world.ran.append(self.name)
        if self.run < len(self.sees):
            pattern = self.sees[self.run]
            if not FILLED_IN.isdisjoint(pattern):
                world.faults += [f"{self.name}: {fault}" for fault in disagreements(event)]
            seen = {field: event.get(field, MISSING) for field in pattern}
            world.faults += [f"{self.name} sees {fault}" for fault in fits(pattern, seen)]
        does = self.does[min(self.run, len(self.does) - 1)]
        self.run += 1
        assert isinstance(does, dict)
        return does

    def deed(self, do: dict[str, Any], event: Event) -> None:
        """Deeds that are the same in every style."""
        if "mutates" in do:
            for path, value in do["mutates"].items():
                try:
                    assign(event, path, decode(value))
                except IN_THE_WAY:
                    continue
        if "reads_json" in do:
            text = event.to_json()
            wanted = do["reads_json"] if isinstance(do["reads_json"], list) else []
            self.world.faults += [f"{self.name}: {one!r} is not in {text}" for one in wanted if one not in text]
        for name, wanted in do.get("reads_call", {}).items():
            read = getattr(event, name)
            if read != wanted:
                self.world.faults.append(f"{self.name}: {name} of the event is {read!r}, expected {wanted!r}")
        if "registers" in do:
            self.world.register(do["registers"])
        if "unregisters" in do:
            self.world.client.unregister_hook(self.world.id_of(do["unregisters"]))
        if "enables" in do:
            self.world.client.enable_hook(self.world.id_of(do["enables"]))
        if "disables" in do:
            self.world.client.disable_hook(self.world.id_of(do["disables"]))

    def answer(self, do: dict[str, Any]) -> Any:
        """The end of a run: an answer or an exception."""
        if "raises" in do:
            raise RuntimeError(do["raises"])
        if "returns" in do:
            returned = decode(do["returns"])
            return None if returned is MISSING else returned
        if "answer" in do:
            return self._response(decode(do["answer"]))
        if "keeps_and_mutates" in do:
            given = dict(do["keeps_and_mutates"])
            later = given.pop("later")
            answer = decode(given)

            def change() -> None:
                for path, value in later.items():
                    assign(answer["modified"], path, decode(value))

            self.world.later.append(change)
            return answer
        return None

    def _response(self, answer: dict[str, Any]) -> Any:
        """The same as a HookResponse in one style, so that both spellings are exercised."""
        if self.world.style != "sync" or "action" not in answer:
            return answer
        parts = dict(answer)
        delay = parts.pop("delay_ms", None)
        return HookResponse(**parts, **({} if delay is None else {"delay": delay / 1000}))


FILLED_IN = frozenset({"session_id", "timestamp", "tool_use_id", "cwd", "metadata"})
"""What the engine fills in where a payload lacks it."""


def disagreements(event: Event) -> list[str]:
    """Where the ways to look at an event show different values of what the engine fills in."""
    whole, text = event.to_dict(), json.loads(event.to_json())
    faults = []
    for name in sorted(FILLED_IN):
        wanted = whole.get(name, MISSING)
        got = {"item": event.get(name, MISSING), "JSON": text.get(name, MISSING)}
        if wanted is not MISSING:
            got["attribute"] = getattr(event, name)
        faults += [f"{name} is {wanted!r}, and {one!r} as {way}" for way, one in got.items() if one != wanted]
    return faults


def assign(target: Any, path: str, value: Any) -> None:
    """Sets ``args.list.0.x`` in an event or a dict."""
    *steps, last = path.split(".")
    for step in steps:
        target = target[int(step)] if isinstance(target, list) else target[step]
    if isinstance(target, list):
        target[int(last)] = value
    elif isinstance(target, Event):
        setattr(target, last, value)
    else:
        target[last] = value


class SyncHandler(Handler):
    def __call__(self, event: Event) -> Any:
        do = self.begin(event)
        while True:
            self.deed(do, event)
            if "sleep_ms" in do:
                time.sleep(do["sleep_ms"] / 1000)
            if "dispatches" in do:
                inner = do["dispatches"]
                outcome = self.world.client.dispatch_sync(inner["event"], decode(inner["payload"]))
                if "then" not in do:
                    return {"action": "continue", "reason": outcome.decision}
            if "then" not in do:
                return self.answer(do)
            do = do["then"]


class AsyncHandler(Handler):
    def __call__(self, event: Event) -> Awaitable[Any]:
        return self.go(event)

    async def go(self, event: Event) -> Any:
        """The handler's run."""
        do = self.begin(event)
        while True:
            self.deed(do, event)
            if "sleep_ms" in do:
                await sleep(do["sleep_ms"] / 1000)
            if "hangs" in do:
                self.world.hanging = True
                await sleep(3600)
            if "dispatches" in do:
                inner = do["dispatches"]
                outcome = await self.world.client.dispatch(inner["event"], decode(inner["payload"]))
                if "then" not in do:
                    return {"action": "continue", "reason": outcome.decision}
            if "then" not in do:
                return self.answer(do)
            do = do["then"]


def register_ready_made(client: HookClient, options: dict[str, Any]) -> None:
    """Registers a ready-made hook, whose times are milliseconds in a case."""
    name = options.pop("use")
    if name == "policies":
        client.use(*options.pop("names"), **options)
    elif name == "redact-secrets":
        client.redact_secrets(**options)
    elif name == "protect-paths":
        client.protect_paths(
            *options.pop("paths", ()), **{"for_" if key == "for" else key: value for key, value in options.items()}
        )
    else:
        per = options.get("per", "session")
        client.limit_calls(**{**options, "per": per if isinstance(per, str) else per / 1000})
