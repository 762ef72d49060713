"""Typed events: reading, isolation, made-up fields, making them in unit tests."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from datetime import UTC, datetime
from typing import Any

import hookweave
import pytest
from hookweave import Event, GenerateEndEvent, PayloadError, PreToolUseEvent, Record

from support import LIMIT, new_client


def dispatched(handler: Any, event: Any = "PreToolUse", payload: Any = None) -> Any:
    """One hook on one event; its failure is the test's."""
    client = new_client()
    client.register_hook(event, handler)
    outcome = client.dispatch_sync(event, payload if payload is not None else {"tool": "Bash", "args": {"a": [1]}})
    failure = outcome.trace[0].failure
    if failure is not None:
        assert failure.error.__cause__ is not None
        raise failure.error.__cause__
    return outcome


def test_every_event_has_its_class() -> None:
    client = new_client()
    for known in client.catalogue():
        kind = getattr(hookweave, f"{known['name']}Event")
        seen: list[Any] = []
        needed = {"tool": "Bash"} if known["name"] in ("PreToolUse", "PermissionRequest") else {}
        dispatched(seen.append, known["name"], needed)
        assert type(seen[0]) is kind and seen[0].event_type == known["name"] == kind.event_name
        for field in known["fields"]:
            # What the payload lacks is None, unless the engine makes it up.
            assert getattr(seen[0], field["name"]) is None or field["name"] in ("tool_use_id", *needed)


def test_reading() -> None:
    def handler(event: PreToolUseEvent) -> None:
        assert event.tool == event["tool"] == event.get("tool") == "Bash"
        assert event.get("nothing", 3) == 3 and "nothing" not in event and "args" in event
        assert dict(event) == event.to_dict()
        assert len(event) == len(list(event)) == len(event.keys()) == len(event.values()) == len(event.items())
        assert event == event.to_dict() and event != {} and event != 3
        with pytest.raises(KeyError, match="nothing"):
            event["nothing"]
        with pytest.raises(AttributeError, match="PreToolUseEvent has no field 'nothing'"):
            event.nothing  # noqa: B018

    dispatched(handler)


def test_what_the_engine_reads_of_a_call_is_no_field() -> None:
    event = PreToolUseEvent(tool="run_shell_command", args={"cmd": "rm x"}, command="ls")
    assert (event.command, event.paths) == ("rm x", [])
    assert event["command"] == "ls" and "paths" not in event and "paths" not in event.to_dict()
    with pytest.raises(PayloadError, match="`command` of the event cannot be read: PreToolUse of tool `Bash` holds"):
        _ = PreToolUseEvent(tool="Bash", args={"command": 7}).command
    assert Event("deploy:start", command=7).command == 7


def test_made_up_fields_are_the_same_everywhere() -> None:
    client = new_client()
    seen: list[tuple[Any, ...]] = []
    kept: list[Any] = []

    def fields(event: Any) -> tuple[Any, ...]:
        return (event.session_id, event.timestamp, event.tool_use_id, event["session_id"])

    def reads(event: Any) -> None:
        seen.append(fields(event))

    def keeps(event: Any) -> dict[str, Any]:
        kept.append(event)
        return {"modified": {"args": {"round": len(kept)}}}

    for handler in (reads, keeps, reads, keeps, reads):
        client.register_hook("PreToolUse", handler)
    outcome = client.dispatch_sync("PreToolUse", {"tool": "x"})
    assert len({*seen, *map(fields, kept), fields(outcome.event)}) == 1
    assert len(outcome.event.session_id) == 36 and outcome.event.timestamp > 1.7e12
    assert outcome.to_dict()["event"]["session_id"] == seen[0][0]
    other = client.dispatch_sync("PreToolUse", {"tool": "x"})
    assert other.event.session_id != outcome.event.session_id
    assert client.dispatch_sync("Stop", session_id="mine").event.session_id == "mine"


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
def test_made_up_fields_are_the_same_in_every_mode(mode: Any) -> None:
    client = new_client(mode=mode)
    seen: list[str] = []

    async def reads(event: Any) -> None:
        await asyncio.sleep(0)
        seen.append(event.session_id)

    client.register_hook("Stop", reads)
    client.register_hook("Stop", reads)
    client.register_hook("Stop", reads, detached=True)

    async def main() -> None:
        outcome = await client.dispatch("Stop")
        seen.append(outcome.event.session_id)
        await client.drain(LIMIT)

    asyncio.run(main())
    assert len(seen) == 4 and len(set(seen)) == 1


def test_mutations_stay_with_the_hook() -> None:
    client = new_client()
    payload = {"tool": "Bash", "args": {"list": [1, {"deep": 1}], "tuple": ([1],)}, "context": {"recent_tools": ["a"]}}
    original = copy.deepcopy(payload)
    seen: list[Any] = []

    def vandal(event: PreToolUseEvent) -> None:
        event.args["list"][1]["deep"] = 2
        event.args["tuple"][0].append(2)
        event.args["new"] = True
        event["context"]["recent_tools"].clear()
        assert event.args["new"] and event["args"]["new"]

    def witness(event: PreToolUseEvent) -> None:
        seen.append(event.to_dict())
        assert event.args == original["args"]

    for handler in (vandal, witness, vandal, witness):
        client.register_hook("PreToolUse", handler)
    outcome = client.dispatch_sync("PreToolUse", payload)
    assert [entry.failure for entry in outcome.trace] == [None] * 4
    assert payload == original and outcome.event.args == original["args"]
    outcome.event.args["mine"] = 1
    assert payload == original


def test_a_kept_event_does_not_change_later() -> None:
    client = new_client()
    kept: list[Any] = []
    client.register_hook("PreToolUse", lambda event: kept.append((event, event.args)))
    client.register_hook("PreToolUse", lambda event: {"modified": {"args": {"a": 2}}})
    client.register_hook("PreToolUse", lambda event: kept.append((event, event.args)))
    for n in range(3):
        client.dispatch_sync("PreToolUse", tool=str(n), args={"a": 1})
    assert [event.tool for event, _ in kept] == ["0", "0", "1", "1", "2", "2"]
    assert [args["a"] for _, args in kept] == [event.args["a"] for event, _ in kept] == [1, 2] * 3
    assert len({id(event) for event, _ in kept}) == 6


def test_leaves_are_shared() -> None:
    args = {"leaf": object(), "fixed": frozenset({1}), "bytes": b"a", "big": 2**80, "when": datetime.now(UTC)}

    def handler(event: PreToolUseEvent) -> None:
        assert event.args is not args
        assert all(event.args[name] is value for name, value in args.items())

    dispatched(handler, payload={"tool": "x", "args": args})


def test_what_nests_too_deep_is_an_error_and_no_crash() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    for args in ({"deep": deep}, cyclic):
        with pytest.raises(PayloadError, match="nested deeper than 128") as refused:
            dispatched(lambda event: event.args, payload={"tool": "x", "args": args})
        assert refused.value.code == "payload_too_deep"
        assert dispatched(lambda event: event.tool and None, payload={"tool": "x", "args": args}).event.tool == "x"


def test_records_are_read_by_attribute() -> None:
    payload = {"prompt": "p", "response": {"text": "t", "usage": {"total_tokens": 7}, "tool_calls": [{"name": "x"}]}}

    def handler(event: GenerateEndEvent) -> None:
        assert event.response.usage.total_tokens == event["response"]["usage"]["total_tokens"] == 7
        assert event.response.tool_calls[0].name == "x"
        assert isinstance(event.response, dict) and isinstance(event.response, Record)
        assert json.dumps(event.response) == json.dumps(payload["response"])
        event.response.text = "changed"
        assert event.response["text"] == "changed"
        del event.response.text
        for act in (lambda: event.response.txt, lambda: delattr(event.response, "txt")):
            with pytest.raises(AttributeError, match="txt"):
                act()
        assert type(event.to_dict()["response"]) is dict

    outcome = dispatched(handler, "GenerateEnd", payload)
    assert outcome.event.response.usage.total_tokens == 7


def test_a_record_can_be_given_back() -> None:
    client = new_client()

    @client.hook("GenerateEnd")
    def shout(event: GenerateEndEvent) -> dict[str, Any]:
        response = event.response
        response.text = response.text.upper()
        return {"modified": {"response": response}}

    outcome = client.dispatch_sync("GenerateEnd", prompt="p", response={"text": "hi", "usage": {"total_tokens": 1}})
    assert outcome.event.response.text == "HI" and outcome.event.response.usage.total_tokens == 1


def test_assigning_says_what_to_do() -> None:
    def handler(event: Any) -> None:
        with pytest.raises(AttributeError, match=r"HookResponse\.continue_\(modified=\{\"args\""):
            event.args = {}
        with pytest.raises(AttributeError, match="cannot be assigned"):
            event.anything = 1
        with pytest.raises(AttributeError, match="cannot be assigned"):
            del event.args

    dispatched(handler)


def test_events_are_made_for_unit_tests() -> None:
    event = PreToolUseEvent(tool="Bash", args={"command": "ls"})
    assert (event.tool, event.args, event.event_type) == ("Bash", {"command": "ls"}, "PreToolUse")
    assert event.session_id == event.session_id and event.metadata == {} and event.context is None
    text = repr(PreToolUseEvent(tool="Bash", args={}, session_id="s", tool_use_id="t", timestamp=1, cwd="/w"))
    fields = "tool='Bash', args={}, session_id='s', tool_use_id='t', timestamp=1, cwd='/w', metadata={}"
    assert text == f"PreToolUseEvent({fields})"
    custom = Event("deploy:start", target="x")
    assert (custom.event_type, custom.target) == ("deploy:start", "x")
    assert repr(custom).startswith("Event('deploy:start', target='x'")
    untyped: Any = Event
    for make in (lambda: untyped(), lambda: untyped(3), lambda: PreToolUseEvent("Bash")):  # type: ignore[misc]
        with pytest.raises(TypeError):
            make()


def test_events_can_be_copied_and_pickled() -> None:
    for event in (PreToolUseEvent(tool="Bash", args={"a": [1]}), Event("deploy:start", target="x")):
        for other in (pickle.loads(pickle.dumps(event)), copy.copy(event), copy.deepcopy(event)):
            assert type(other) is type(event) and other == event
    with pytest.raises(TypeError, match="unhashable"):
        hash(PreToolUseEvent())


def test_json_text() -> None:
    def text(args: Any) -> str:
        return PreToolUseEvent(tool="é", args=args, session_id="s", tool_use_id="t", timestamp=1).to_json()

    made = text({"big": 2**70, "tuple": (1, 2.5), "none": None, "yes": True, "quote": '"\n'})
    assert json.loads(made)["args"] == {"big": 2**70, "tuple": [1, 2.5], "none": None, "yes": True, "quote": '"\n'}
    assert json.loads(made)["tool"] == "é" and ": " not in made
    refused = {
        "args.when": {"when": datetime.now(UTC)},
        "args.list[1]": {"list": [1, {1, 2}]},
        "args.x": {"x": float("nan")},
        "args.text": {"text": "\ud800"},
        "args.bytes": {"bytes": b"x"},
        "args.object": {"object": object()},
    }
    for path, args in refused.items():
        with pytest.raises(PayloadError) as error:
            text(args)
        assert error.value.code == "payload_not_json" and path in str(error.value)
    with pytest.raises(PayloadError, match="not a string"):
        text({1: "one"})


class Meddler(str):
    """A key that notices being compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("the engine compared a key by running its code")

    __hash__ = str.__hash__


def test_the_core_runs_no_code_of_payload_values() -> None:
    class Loud:
        def __getattribute__(self, name: str) -> Any:
            if name not in ("__class__",):
                raise AssertionError(f"the engine asked a value for {name}")
            return super().__getattribute__(name)

        def __eq__(self, other: object) -> bool:
            raise AssertionError("the engine compared a value")

        __hash__ = None  # type: ignore[assignment]

    client = new_client()
    client.register_hook("PreToolUse", lambda event: None, matcher={"args": {"x": "a*"}, "path_pattern": "*.env"})
    client.register_hook("PreToolUse", lambda event: {"modified": {"args": {"x": Loud()}}})
    outcome = client.dispatch_sync("PreToolUse", tool="x", args={"x": Loud(), "path": Loud(), Meddler("k"): 1})
    assert [entry.failure for entry in outcome.trace] == [None, None]


def test_a_host_s_subclass_of_dict_is_read_as_it_is() -> None:
    class Lying(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: Any) -> Any:
            raise AssertionError("overridden method was run")

        def get(self, *_: Any) -> Any:
            raise AssertionError("overridden method was run")

    client = new_client()
    client.register_hook("PreToolUse", lambda event: {"action": "block"}, matcher={"command_pattern": "^rm"})
    assert client.dispatch_sync("PreToolUse", Lying(tool="Bash", args=Lying(command="rm x"))).blocked
