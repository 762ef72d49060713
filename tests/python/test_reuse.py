"""Neither reused memory nor the kind of a payload's keys makes a visible difference."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections import OrderedDict
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import pytest
from hookweave import HookClient, Outcome

from support import new_client

pytestmark = pytest.mark.memory

EVENT: Final = "PreToolUse"


def call(command: str = "ls") -> dict[str, Any]:
    return {"tool": "Bash", "args": {"command": command}, "session_id": "s1"}


def client_with(*handlers: Any) -> HookClient:
    client = new_client()
    for handler in handlers:
        client.register_hook(EVENT, handler, matcher={"tool": "Bash"})
    return client


def test_outcomes_that_somebody_holds_stay_what_they_are() -> None:
    client = client_with(lambda event: None, lambda event: None)

    async def many() -> list[Outcome[Any]]:
        held = []
        for number in range(20):
            outcome = await client.dispatch(EVENT, call(f"ls {number}"))
            if number % 3:
                held.append(outcome)
        return held

    held = asyncio.run(many())
    commands = [outcome.event.args["command"] for outcome in held]
    assert commands == [f"ls {number}" for number in range(20) if number % 3]
    assert all(len(outcome.trace) == 2 for outcome in held)


def test_a_payload_goes_with_its_outcome() -> None:
    class Payload(dict[str, Any]):
        pass

    client = client_with(lambda event: None)

    async def once() -> weakref.ref[Payload]:
        payload = Payload(call())
        await client.dispatch(EVENT, payload)
        return weakref.ref(payload)

    for _ in range(3):
        assert asyncio.run(once())() is None


def test_a_dispatch_inside_a_hook_has_an_outcome_of_its_own() -> None:
    inner: list[Outcome[Any]] = []

    async def nesting(event: Any) -> None:
        if event.args["command"] == "outer":
            inner.append(await client.dispatch(EVENT, call("inner")))

    client = client_with(nesting)

    async def run() -> Outcome[Any]:
        await client.dispatch(EVENT, call("warm"))
        return await client.dispatch(EVENT, call("outer"))

    outcome = asyncio.run(run())
    assert (outcome.event.args["command"], inner[0].event.args["command"]) == ("outer", "inner")
    assert len(outcome.trace) == len(inner[0].trace) == 1


def test_after_a_hook_has_spoken_the_next_dispatch_is_quiet_again() -> None:
    def sometimes(event: Any) -> Any:
        return {"action": "block", "reason": "no"} if event.args["command"] == "rm" else None

    client = client_with(lambda event: None, sometimes, lambda event: None)

    async def run() -> list[tuple[bool, int]]:
        outcomes = [await client.dispatch(EVENT, call(command)) for command in ("ls", "rm", "ls", "rm", "ls")]
        return [(outcome.blocked, len(outcome.trace)) for outcome in outcomes]

    assert asyncio.run(run()) == [(False, 3), (True, 3), (False, 3), (True, 3), (False, 3)]


class Name(StrEnum):
    TOOL = "tool"
    ARGS = "args"
    SESSION = "session_id"


def built(text: str) -> str:
    """A text that is no interned one."""
    return "".join(list(text))


def shortened(payload: dict[str, Any], name: str) -> dict[str, Any]:
    """The same dict without a field, which leaves a hole in its table."""
    del payload[name]
    return payload


def shapes() -> dict[str, dict[Any, Any]]:
    """One payload, in all ways in which a dict can have its keys."""
    args = {"command": "ls", "path": "src/é.py"}
    return {
        "made at run time": {built(name): value for name, value in {**call(), "args": args}.items()},
        "read": json.loads(json.dumps({**call(), "args": args})),
        "of a class": {Name.TOOL: "Bash", Name.ARGS: args, Name.SESSION: "s1"},
        "ordered": OrderedDict({**call(), "args": OrderedDict(args)}),
        "beside many": {**{f"other{number}": number for number in range(40)}, **call(), "args": args},
        "beside odd ones": {"größe": 1, "\ud800": 2, **call(), "args": {**args, "größe": 1}},
        "after one was removed": shortened({"x": 1, **call(), "args": args}, "x"),
    }


@pytest.mark.parametrize("shape", shapes())
def test_a_record_says_the_same_however_the_payload_has_its_keys(shape: str, tmp_path: Path) -> None:
    client = client_with(lambda event: None)
    log = tmp_path / "audit.jsonl"
    client.configure_audit({"file": log, "key": "the same"})

    async def run() -> None:
        await client.dispatch(EVENT, {**call(), "args": {"command": "ls", "path": "src/é.py"}})
        await client.dispatch(EVENT, shapes()[shape])

    asyncio.run(run())
    client.close()
    records = [json.loads(line) for line in log.read_text().splitlines()]
    first, second = [record for record in records if record["kind"] == "hook_finished"]
    about = ("session", "tool", "event", "input")
    assert [first.get(name) for name in about] == [second.get(name) for name in about]
    assert first["session"] == "s1"
    assert first["tool"] == "Bash"
