"""Hooks that rewrite agree, or are named: the laws of rechecks and of conflicting changes, in random cases.

Rust has the same laws in ``tests/rust/tests/agreement.rs``. ``HOOKWEAVE_SEED`` chooses other cases, ``HOOKWEAVE_CASES``
how many.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from hookweave import HookClient, Outcome

from support import new_client

SEED = int(os.environ.get("HOOKWEAVE_SEED", "20261123"))
CASES = int(os.environ.get("HOOKWEAVE_CASES", "150"))
SECRET = "sk-SECRET"
PROFILES = ["default", "a3s", "wingman", "cocode", "amplifier", "shadow", "claude-code"]
FIELD_OF = {"PreToolUse": "args", "PostToolUse": "result", "GenerateEnd": "response"}
MAX_ROUNDS = 4

Fields = dict[str, Any]


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(SECRET, "***")
    if isinstance(value, list):
        return [_redacted(item) for item in value]
    if isinstance(value, dict):
        return {key: _redacted(item) for key, item in value.items()}
    return value


@dataclass(frozen=True)
class Rewrite:
    """What a hook makes of the field that may be modified."""

    kind: str
    key: str = ""
    value: Any = None

    def of(self, before: Fields) -> Fields:
        fields = dict(before)
        if self.kind == "set":
            fields[self.key] = self.value
        elif self.kind == "remove":
            fields.pop(self.key, None)
        elif self.kind == "redact":
            fields = _redacted(fields)
        elif self.kind == "append":
            text = fields.get(self.key)
            text = text if isinstance(text, str) else ""
            fields[self.key] = text if text.endswith(self.value) else text + self.value
        elif self.kind == "leak":
            fields[self.key] = f"the key is {SECRET}"
        return fields


@dataclass(frozen=True)
class Rewriter:
    name: str
    rewrite: Rewrite
    mandatory: bool = False
    priority: int = 0


@dataclass(frozen=True)
class Setting:
    """A client and one of its events; hooks are functions, coroutine functions, or some of each."""

    profile: str
    mode: str
    conflict: str
    event: str
    style: str

    @property
    def field(self) -> str:
        return FIELD_OF[self.event]

    def is_unawaited(self) -> bool:
        """Whether only mandatory hooks of the event are waited for."""
        return self.profile == "wingman" and self.event == "PostToolUse"

    def client(self, hooks: list[Rewriter], runs: dict[str, int]) -> HookClient:
        options = {"profile": self.profile, "mode": self.mode, "conflict": self.conflict}
        client = new_client(**options, max_hooks_per_event=None, max_total_hooks=None)  # type: ignore[arg-type]
        for index, hook in enumerate(hooks):
            is_async = self.style == "async" or (self.style == "mixed" and index % 2 == 1)
            client.register_hook(
                cast("Any", self.event),
                self._handler(hook, runs, is_async),
                name=hook.name,
                priority=hook.priority,
                timeout=None,
                **({"mandatory": True} if hook.mandatory else {}),
            )
        return client

    def _handler(self, hook: Rewriter, runs: dict[str, int], is_async: bool) -> Callable[[Any], Any]:
        def rewrite(event: Any) -> Any:
            runs[hook.name] = runs.get(hook.name, 0) + 1
            return {"modified": {self.field: hook.rewrite.of(getattr(event, self.field))}}

        async def later(event: Any) -> Any:
            await asyncio.sleep(0)
            return rewrite(event)

        return later if is_async else rewrite

    def dispatch(self, hooks: list[Rewriter], fields: Fields) -> Outcome[Any]:
        """What comes of an event for these hooks, none of which may look more often than the rounds allow."""
        runs: dict[str, int] = {}
        payload: Any = {"tool": "Bash", "args": {}, "prompt": "p", "model": "m", self.field: fields}
        with self.client(hooks, runs) as client:
            if self.style == "sync":
                outcome = client.dispatch_sync(cast("Any", self.event), payload)
            else:
                outcome = asyncio.run(_dispatched(client, self.event, payload))
        assert max(runs.values()) <= 1 + MAX_ROUNDS, runs
        return outcome

    def left(self, outcome: Outcome[Any]) -> Any:
        return getattr(outcome.event, self.field)


async def _dispatched(client: HookClient, event: Any, payload: Any) -> Outcome[Any]:
    return await client.dispatch(event, payload)


def setting(dice: random.Random) -> Setting:
    return Setting(
        profile=dice.choice(PROFILES),
        mode=dice.choice(["sequential", "parallel"]),
        conflict=dice.choice(["block", "ask", "last"]),
        event=dice.choice(list(FIELD_OF)),
        style=dice.choice(["sync", "async", "mixed"]),
    )


def agreeing(dice: random.Random) -> list[Rewriter]:
    """Rewriters of which each has a key of its own, so that they commute, and that do nothing the second time."""

    def rewriter(key: str) -> Rewriter:
        rewrites = [
            Rewrite("set", key, dice.randrange(3)),
            Rewrite("remove", key),
            Rewrite("append", key, " -v"),
            Rewrite("nothing"),
        ]
        return Rewriter(key, dice.choice(rewrites), dice.random() < 0.5, dice.randrange(-1, 2))

    return [rewriter(key) for key in "abcd"]


def _report(outcome: Outcome[Any]) -> str:
    return f"{outcome.to_dict()}"


def cases(law: str) -> list[Any]:
    """A die for each case, so that one can be run by itself."""
    return [pytest.param(random.Random(f"{law} {SEED} {number}"), id=str(number)) for number in range(CASES)]


@pytest.mark.parametrize("dice", cases("agree"))
def test_who_can_agree_agrees(dice: random.Random) -> None:
    """Rewriters that commute and are idempotent come to the same event in any order, and none is blocked."""
    fields: Fields = {"a": "one", "b": "two", "c": 3}
    hooks, where = agreeing(dice), setting(dice)
    if where.is_unawaited():
        hooks = [replace(hook, mandatory=True) for hook in hooks]
    wanted = fields
    for hook in hooks:
        wanted = hook.rewrite.of(wanted)
    for order in (hooks, dice.sample(hooks, len(hooks))):
        outcome = where.dispatch(order, dict(fields))
        assert where.left(outcome) == wanted, f"{where}: {_report(outcome)}"
        assert outcome.decision == "continue", f"{where}: {_report(outcome)}"
        assert not any(entry.not_idempotent for entry in outcome.trace)


@pytest.mark.parametrize("dice", cases("named"))
def test_who_cannot_agree_is_named(dice: random.Random) -> None:
    """Two mandatory hooks that overrule each other let nothing of it through, and both are named."""
    where, apart = setting(dice), dice.random() < 0.5
    hooks = [
        Rewriter("left", Rewrite("set", "x", 1), mandatory=True),
        Rewriter("right", Rewrite("set", "x", 2), mandatory=True, priority=int(apart)),
    ]
    dice.shuffle(hooks)
    outcome = where.dispatch(hooks + agreeing(dice), {"x": "before"})
    report = f"{where}: {_report(outcome)}"
    assert "`left`" in report, report
    assert "`right`" in report, report
    if where.mode == "parallel" and not apart and where.conflict == "last":
        return  # The last change may stand: that is what was asked for, openly.
    if where.event == "PreToolUse":
        assert outcome.decision in ("block", "ask"), report
    else:
        assert str(where.left(outcome)["x"]).startswith("[withheld: "), report


@pytest.mark.parametrize("dice", cases("mandatory"))
def test_a_mandatory_redaction_is_never_lost(dice: random.Random) -> None:
    """What a mandatory hook removes from an event is not in the final event, regardless of the others."""
    where = setting(dice)
    rewrites = [
        Rewrite("leak", "text"),
        Rewrite("leak", "new"),
        Rewrite("append", "text", "!"),
        Rewrite("set", "text", 1),
        Rewrite("remove", "text"),
        Rewrite("nothing"),
        Rewrite("redact"),
    ]
    hooks = [
        Rewriter(f"other-{number}", dice.choice(rewrites), dice.random() < 0.5, dice.randrange(-1, 2))
        for number in range(dice.randrange(5))
    ]
    redacts = Rewriter("redacts", Rewrite("redact"), mandatory=True, priority=dice.randrange(-1, 2))
    hooks.insert(dice.randrange(len(hooks) + 1), redacts)
    outcome = where.dispatch(hooks, {"text": f"a {SECRET} b", "list": [SECRET], "deep": {"deeper": SECRET}})
    goes_on = where.event != "PreToolUse" or outcome.decision != "block"
    report = f"{where}, {hooks}: {_report(outcome)}"
    assert not (goes_on and SECRET in str(where.left(outcome))), report
    if where.event == "PreToolUse" and goes_on:
        for hook in hooks:
            if hook.mandatory:
                assert hook.rewrite.of(where.left(outcome)) == where.left(outcome), (
                    f"{hook.name} has more to say: {report}"
                )


@pytest.mark.parametrize("dice", cases("neighbour"))
def test_a_redaction_is_never_lost_to_a_neighbour(dice: random.Random) -> None:
    """What any hook takes out of a key stays out of it, unless the last change may stand, and then that is reported."""
    where = setting(dice)
    if where.is_unawaited():
        where = replace(where, profile="default")
    rewrites = [
        Rewrite("append", "text", "!"),
        Rewrite("append", "text", "?"),
        Rewrite("set", "n", 1),
        Rewrite("nothing"),
    ]
    hooks = [
        Rewriter(f"other-{number}", dice.choice(rewrites), dice.random() < 0.5) for number in range(dice.randrange(4))
    ]
    hooks.insert(dice.randrange(len(hooks) + 1), Rewriter("redacts", Rewrite("redact")))
    outcome = where.dispatch(hooks, {"text": f"a {SECRET} b"})
    if SECRET not in str(where.left(outcome)):
        return
    report = f"{where}, {hooks}: {_report(outcome)}"
    if where.conflict == "last":
        assert any("`redacts`" in message.text and "stands" in message.text for message in outcome.messages), report
    else:
        # The event goes nowhere before a person has decided.
        assert where.event == "PreToolUse", report
        assert outcome.decision in ("block", "ask"), report
