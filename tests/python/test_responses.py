"""HookResponse: every constructor, composition, and what the engine makes of wrong answers."""

from __future__ import annotations

import asyncio
import doctest
import enum
import pickle
from collections import ChainMap, OrderedDict, UserDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import hookweave
import pytest
from hookweave import HookResponse, InvalidAnswerError, Question

from support import new_client


def answered(answer: Any, event: Any = "PreToolUse", **options: Any) -> Any:
    client = new_client()
    client.register_hook(event, lambda _: answer, name="a", **options)
    return client.dispatch_sync(event, tool="x", args={})


CONSTRUCTORS: list[tuple[HookResponse, str, str | None]] = [
    (HookResponse.continue_(), "continue", None),
    (HookResponse.allow("fine"), "allow", "fine"),
    (HookResponse.ask("Sure?"), "ask", "Sure?"),
    (HookResponse.block("no"), "block", "no"),
    (HookResponse.retry("later", delay=1.5), "retry", "later"),
    (HookResponse.skip("enough"), "continue", None),
    (HookResponse.stop("halt"), "stop", "halt"),
    (HookResponse(), "continue", None),
    (HookResponse("block", reason="no"), "block", "no"),
]


@pytest.mark.parametrize(("response", "decision", "reason"), CONSTRUCTORS, ids=[repr(case[0]) for case in CONSTRUCTORS])
def test_constructors(response: HookResponse, decision: str, reason: str | None) -> None:
    for answer in (response, response.to_dict()):
        outcome = answered(answer)
        assert outcome.trace[0].failure is None
        assert outcome.decision == decision
        if decision != "ask":
            assert outcome.reason == reason


@pytest.mark.parametrize("action", ["continue_", "allow", "ask", "block", "retry", "skip", "stop"])
def test_every_constructor_takes_every_part(action: str) -> None:
    make = getattr(HookResponse, action)
    response = make(
        inject=["one", {"content": "two", "role": "user", "ephemeral": True}],
        message={"text": "look", "level": "warning"},
        suppress_output=True,
        modified={"args": {"x": 1}},
        ext={"claude-code": {"a": 1}},
    )
    outcome = answered(response)
    assert outcome.trace[0].failure is None
    assert [(case.content, case.role, case.ephemeral) for case in outcome.injections] == [
        ("one", "system", False),
        ("two", "user", True),
    ]
    assert [(case.hook, case.text, case.level) for case in outcome.messages] == [("a", "look", "warning")]
    assert outcome.suppress_output and outcome.ext == {"claude-code": {"a": 1}}
    assert outcome.modified == ["args"] and outcome.event.args == {"x": 1}


def test_chaining_makes_new_responses() -> None:
    base = HookResponse.block("no")
    chained = base.inject("one").inject("two", role="user", ephemeral=True).message("look", "error")
    assert base.to_dict() == {"action": "block", "reason": "no"}
    outcome = answered(chained)
    assert [case.content for case in outcome.injections] == ["one", "two"] and outcome.messages[0].level == "error"
    listed = HookResponse.continue_(inject=["zero"]).inject("one")
    assert [case.content for case in answered(listed).injections] == ["zero", "one"]
    assert [case.content for case in answered(HookResponse.allow(inject="zero").inject("one")).injections] == [
        "zero",
        "one",
    ]


def test_durations() -> None:
    for delay in (1.5, timedelta(seconds=1.5)):
        assert answered(HookResponse.retry(delay=delay)).delay == 1.5
    assert answered({"action": "retry", "delay_ms": 1500}).to_dict()["delay_ms"] == 1500
    for timeout in (30, timedelta(seconds=30)):
        response = HookResponse.ask("Sure?", options=["Yes", "No"], timeout=timeout, default="allow", remember="tool")
        assert answered(response).asks == [Question("a", "Sure?", ("Yes", "No"), 30.0, "allow", "tool")]


def test_immutable_comparable_printable() -> None:
    response = HookResponse.block("no")
    with pytest.raises(AttributeError, match="immutable"):
        response.reason = "x"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="immutable"):
        del response._answer
    assert response == HookResponse("block", reason="no") != HookResponse.block() and response != 3
    assert len({response, HookResponse("block", reason="no")}) == 1
    assert repr(response) == "HookResponse('block', reason='no')" and repr(HookResponse()) == "HookResponse('continue')"
    assert pickle.loads(pickle.dumps(response)) == response


class Verdict(enum.Enum):
    BLOCK = "block"


INVALID: list[tuple[Any, str]] = [
    (True, "nothing or an object, not `true`"),
    (False, "nothing or an object"),
    ("block", "a string"),
    ([1], "a list"),
    (3, "an integer"),
    (object(), "a value of type object, which cannot be read; return a `HookResponse` or a dict"),
    ({"action": Verdict.BLOCK}, "`action` must be a string, is a value of type Verdict; known are continue"),
    (HookResponse(Verdict.BLOCK), "`action` must be a string, is a value of type Verdict"),  # type: ignore[arg-type]
    ({"acton": "block"}, "did you mean `action`"),
    ({"action": "blok"}, 'did you mean `HookResponse.block("…")`'),
    ({"action": "block", "reason": 3}, "`reason` must be a string"),
    ({"modified": {"tool": "y"}}, "modified.tool"),
    ({"modified": {"args": [1]}}, "modified.args"),
    ({"action": "block", "delay": 1}, "retry"),
    ({1: "x"}, "not a string"),
    (HookResponse("deny"), "unknown action"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("answer", "text"), INVALID, ids=[repr(case[0])[:40] for case in INVALID])
def test_invalid_answers_say_what_and_where(answer: Any, text: str) -> None:
    failure = answered(answer).trace[0].failure
    assert failure is not None and failure.kind == "invalid_answer"
    assert isinstance(failure.error, InvalidAnswerError) and text in failure.message, failure.message


@pytest.mark.parametrize(
    "make", [UserDict, ChainMap, MappingProxyType, OrderedDict], ids=lambda make: str(make.__name__)
)
def test_a_mapping_of_any_class_is_read_as_a_dict(make: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    outcome = answered(make({"action": "block", "reason": "no"}))
    assert outcome.blocked and outcome.reason == "no" and outcome.trace[0].failure is None
    outcome = answered(make({"acton": "allow"}))
    assert "did you mean `action`" in outcome.trace[0].failure.message
    assert answered(make({})).trace[0].failure is None


class Level(enum.IntEnum):
    DENIED = 1


@dataclass
class Decision:
    action: str = "block"


class Pair(NamedTuple):
    action: Any
    reason: str


class AttributeDict(dict[str, Any]):
    def __init__(self, action: str) -> None:
        self.action = action


class Broken(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no values today")

    def __iter__(self) -> Iterator[str]:
        return iter(["action"])

    def __len__(self) -> int:
        return 1


def generates(event: Any) -> Iterator[HookResponse]:
    yield HookResponse.block()


async def generates_async(event: Any) -> AsyncIterator[HookResponse]:
    yield HookResponse.block()


UNREADABLE: list[Any] = [
    Decision(),
    SimpleNamespace(action="block"),
    Pair("block", "no"),
    Pair(Verdict.BLOCK, "no"),
    [Decision()],
    Level.DENIED,
    {"action": Level.DENIED},
    {"action": {"type": "block"}},
    {"action": []},
    AttributeDict("block"),
    Broken(),
    Verdict.BLOCK,
    b"block",
    {"block"},
    HookResponse,
    HookResponse.block,
    lambda: HookResponse.block(),
    generates(None),
    generates_async(None),
    NotImplemented,
    {b"action": b"block"},
    {"hookSpecificOutput": Decision()},
    {"continue": Decision()},
    {"action": "continue", "modified": MappingProxyType({"args": {}})},
]


@pytest.mark.parametrize("fail_behavior", ["continue", "block"])
@pytest.mark.parametrize("answer", UNREADABLE, ids=[repr(case)[:40] for case in UNREADABLE])
def test_an_answer_that_cannot_be_read_refuses_on_a_gate(answer: Any, fail_behavior: Any) -> None:
    async def give(event: Any) -> Any:
        return answer

    async def side_by_side() -> Any:
        client = new_client(mode="parallel", fail_behavior=fail_behavior)
        client.register_hook("PreToolUse", give)
        client.register_hook("PreToolUse", lambda _: answer)
        return await client.dispatch("PreToolUse", tool="x", args={})

    for outcome in (answered(answer, fail_behavior=fail_behavior), asyncio.run(side_by_side())):
        assert outcome.blocked
        assert {entry.failure.kind for entry in outcome.trace} == {"invalid_answer"}
    outcome = answered(answer, "PostToolUse", fail_behavior="continue")
    assert not outcome.blocked and outcome.trace[0].status == "failed"


def test_the_package_s_example_runs() -> None:
    assert doctest.testmod(hookweave).failed == 0


def test_outcomes_print_and_repeat_themselves() -> None:
    outcome = answered(HookResponse.block("no"))
    assert repr(outcome) == '<Outcome of PreToolUse: block, blocked because "no">'
    assert outcome.event is outcome.event and outcome.to_dict() == outcome.to_dict()
    assert outcome.votes[0].action == "block" and outcome.feedback == [] and outcome.duration > 0
    assert repr(outcome) == repr(outcome)
