"""No hook changes what another hook or the program holds, for every kind of container in the payload."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from array import array
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final, NamedTuple

import pytest
from hookweave import HookClient, Outcome

from support import LIMIT, new_client, until_async

EVENT: Final = "PreToolUse"


class Shouting(dict[str, Any]):
    """A dict of a class of its own, with an attribute."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.more = ["mine"]


class Row(NamedTuple):
    command: str
    flags: list[str]


@dataclasses.dataclass
class Call:
    command: str
    flags: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    command: str
    flags: list[str]


class Own(MutableMapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._fields[name] = value

    def __delitem__(self, name: str) -> None:
        del self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class Lines(MutableSequence[Any]):
    """A list that is no list, with slots."""

    __slots__ = ("__lines",)

    def __init__(self, lines: list[Any]) -> None:
        self.__lines = lines

    def __getitem__(self, index: Any) -> Any:
        return self.__lines[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.__lines[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.__lines[index]

    def __len__(self) -> int:
        return len(self.__lines)

    def insert(self, index: int, value: Any) -> None:
        self.__lines.insert(index, value)


class Listed(list[Any]):
    pass


class Ending(UserDict[str, Any]):
    """One whose end does something, so that there must be no second one."""

    ended = 0

    def __del__(self) -> None:
        Ending.ended += 1


def fields() -> dict[str, Any]:
    return {"command": "ls", "flags": ["-l"]}


def attack_mapping(value: Any) -> None:
    value["flags"].append("-f")
    value["command"] = "rm"
    value.clear()


def attack_list(value: Any) -> None:
    value[0].append("-f")
    value[0] = "rm"
    value.append("more")


def attack_record(value: Any) -> None:
    value.flags.append("-f")
    object.__setattr__(value, "command", "rm")


Make = Callable[[], Any]
Attack = Callable[[Any], None]

KINDS: Final[dict[str, tuple[Make, Attack, bool]]] = {
    "dict": (fields, attack_mapping, True),
    "OrderedDict": (lambda: OrderedDict(fields()), attack_mapping, True),
    "defaultdict": (lambda: defaultdict(list, fields()), attack_mapping, True),
    "a dict of a class": (lambda: Shouting(fields()), attack_mapping, True),
    "UserDict": (lambda: UserDict(fields()), attack_mapping, True),
    "ChainMap": (lambda: ChainMap({"command": "ls"}, {"flags": ["-l"]}), attack_mapping, True),
    "a mapping": (lambda: Own(fields()), attack_mapping, True),
    "a read-only mapping": (lambda: MappingProxyType(fields()), lambda value: value["flags"].append("-f"), False),
    "a mapping with an end": (lambda: Ending(fields()), attack_mapping, False),
    "Counter": (lambda: Counter("aab"), lambda value: value.update("aaa"), True),
    "a list of a class": (lambda: Listed([["-l"], 2]), attack_list, True),
    "UserList": (lambda: UserList([["-l"], 2]), attack_list, True),
    "a sequence": (lambda: Lines([["-l"], 2]), attack_list, True),
    "deque": (lambda: deque([["-l"], 2], 5), attack_list, True),
    "set": (lambda: {1, 2}, lambda value: value.add(3), True),
    "bytearray": (lambda: bytearray(b"ls"), lambda value: value.extend(b"rm"), True),
    "array": (lambda: array("i", [1]), lambda value: value.append(2), True),
    "named tuple": (lambda: Row("ls", ["-l"]), lambda value: value.flags.append("-f"), True),
    "dataclass": (lambda: Call("ls", ["-l"]), attack_record, True),
    "frozen dataclass": (lambda: Frozen("ls", ["-l"]), attack_record, True),
    "namespace": (lambda: SimpleNamespace(**fields()), attack_record, True),
}


def shown(value: Any) -> Any:
    """A value as plain containers, to compare it."""
    if isinstance(value, Mapping):
        return {name: shown(inside) for name, inside in value.items()}
    if isinstance(value, (Call, Frozen)):
        return dataclasses.asdict(value)
    if isinstance(value, SimpleNamespace):
        return shown(vars(value))
    if isinstance(value, (set, bytearray, array)):
        return sorted(value)
    return value if isinstance(value, str) or not hasattr(value, "__len__") else [shown(inside) for inside in value]


@pytest.mark.parametrize("inside", [False, True], ids=["as arguments", "inside them"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_cannot_change_what_others_hold(kind: str, inside: bool) -> None:
    make, attack, keeps_class = KINDS[kind]
    value = make()
    client = new_client()
    seen: list[Any] = []

    def of(event: Any) -> Any:
        return event["args"]["value"] if inside else event["args"]

    @client.hook(EVENT)
    def attacks(event: Any) -> None:
        assert (type(of(event)) is type(value)) == keeps_class
        assert of(event) is of(event)
        attack(of(event))

    @client.hook(EVENT)
    def looks(event: Any) -> None:
        seen.append(shown(of(event)))

    outcome = client.dispatch_sync(EVENT, tool="Bash", args={"value": value} if inside else value)
    assert [entry.failure for entry in outcome.trace] == [None, None]
    assert seen == [shown(make())]
    assert shown(value) == shown(make())
    assert shown(of(outcome.event)) == shown(make())
    assert outcome.modified == []


async def awaited(client: HookClient, event: str = EVENT, **fields: Any) -> Outcome:
    return await client.dispatch(event, fields)


async def in_a_thread(client: HookClient, **fields: Any) -> Outcome:
    return await asyncio.to_thread(client.dispatch_sync, EVENT, fields)


@pytest.mark.parametrize(
    ("way", "options", "kind"),
    [
        pytest.param(awaited, {}, "async", id="awaits a hook"),
        pytest.param(awaited, {"mode": "parallel"}, "async", id="awaits several at once"),
        pytest.param(awaited, {}, "thread", id="awaits a thread"),
        pytest.param(in_a_thread, {}, "thread", id="waits for a thread"),
    ],
)
def test_what_a_gate_judged_is_what_the_outcome_gives_back(way: Any, options: Any, kind: str) -> None:
    """A host that changes its own object while a hook takes its time would run what nobody has looked at."""
    begun, changed = threading.Event(), threading.Event()
    args: dict[str, Any] = {"command": "ls", "flags": ["-l"]}
    seen: list[Any] = []
    client = new_client(**options)

    if kind == "async":

        @client.hook(EVENT)
        async def waits(event: Any) -> None:
            begun.set()
            await until_async(changed.is_set)
            seen.append(shown(event["args"]))

    else:

        @client.hook(EVENT, run_in_thread=True)
        def blocks(event: Any) -> None:
            begun.set()
            changed.wait(LIMIT)
            seen.append(shown(event["args"]))

    @client.hook(EVENT)
    async def follows(event: Any) -> None:
        await until_async(changed.is_set)
        seen.append(shown(event["args"]))

    if way is in_a_thread:
        client.unregister_hook(client.list_hooks()[-1].id)
        client.register_hook(EVENT, lambda event: seen.append(shown(event["args"])))

    async def main() -> Outcome:
        running = asyncio.ensure_future(way(client, tool="Bash", args=args))
        await until_async(begun.is_set)
        # On the loop, so that the dispatch waits by now.
        await asyncio.sleep(0)
        args["command"] = "rm -rf /"
        args["flags"].append("/")
        changed.set()
        return await running

    outcome = asyncio.run(main())
    judged = {"command": "ls", "flags": ["-l"]}
    assert seen == [judged, judged]
    assert shown(outcome.event["args"]) == judged
    assert outcome.modified == []


def test_a_gate_gives_back_what_a_hook_made_of_it_before_another_one_waited() -> None:
    args: dict[str, Any] = {"command": "ls"}
    metadata = {"about": ["it"]}
    client = new_client()
    client.register_hook(EVENT, lambda _: {"modified": {"args": {"command": "ls -l"}}})

    @client.hook(EVENT)
    async def waits(_: Any) -> None:
        args["command"] = "rm"
        await asyncio.sleep(0)
        metadata["about"].append("else")

    outcome = asyncio.run(awaited(client, tool="Bash", args=args, metadata=metadata))
    assert shown(outcome.event["args"]) == {"command": "ls -l"}
    assert shown(outcome.event["metadata"]) == {"about": ["it"]}


def test_what_happened_already_is_not_copied_for_a_hook_that_waits() -> None:
    """Nobody approves a result: a large one stays where it is."""
    read: list[str] = []

    class Watched(UserDict[str, Any]):
        def __iter__(self) -> Iterator[str]:
            read.append("it")
            return super().__iter__()

    result = Watched(fields())
    read.clear()
    client = new_client()

    @client.hook("PostToolUse")
    async def waits(_: Any) -> None:
        await asyncio.sleep(0)

    asyncio.run(awaited(client, event="PostToolUse", tool="Bash", args={}, result=result))
    assert not read


def test_attributes_of_containers_are_the_holders_own_too() -> None:
    value = Shouting(fields())
    client = new_client()
    client.register_hook(EVENT, lambda event: event["args"].more.append("theirs"))
    client.dispatch_sync(EVENT, tool="Bash", args=value)
    assert value.more == ["mine"]


def test_nothing_is_ended_that_is_still_in_use() -> None:
    value = Ending(fields())
    before = Ending.ended
    client = new_client()
    client.register_hook(EVENT, lambda event: event["args"].clear())
    client.dispatch_sync(EVENT, tool="Bash", args=value)
    assert Ending.ended == before
    assert dict(value) == fields()


def test_objects_of_other_classes_are_shared() -> None:
    class Connection:
        pass

    connection = Connection()
    seen: list[Any] = []
    client = new_client()
    client.register_hook(EVENT, lambda event: seen.append(event["metadata"]["connection"]))
    client.dispatch_sync(EVENT, tool="Bash", args={}, metadata=OrderedDict(connection=connection))
    assert seen == [connection]


def test_a_container_that_holds_itself_is_refused_to_the_hook() -> None:
    value: Any = UserList([])
    value.append(value)
    client = new_client()
    client.register_hook(EVENT, lambda event: event["args"])
    outcome = client.dispatch_sync(EVENT, tool="Bash", args={"value": value})
    assert outcome.trace[0].failure is not None
    assert "payload_too_deep" in str(outcome.trace[0].failure) or "deep" in outcome.trace[0].failure.message


def test_pydantic_models_are_copied() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", command=(str, ...), flags=(list[str], ...))
    value = model(command="ls", flags=["-l"])
    client = new_client()
    client.register_hook(EVENT, lambda event: attack_record(event["args"]))
    client.dispatch_sync(EVENT, tool="Bash", args=value)
    assert (value.command, value.flags) == ("ls", ["-l"])
