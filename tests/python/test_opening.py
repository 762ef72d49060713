"""Nothing opens: a call that a guard must refuse never runs, in random cases that every language shares.

``cargo test -p hookweave-vectors --test opening`` makes them. With ``HOOKWEAVE_CASES`` set it writes that many to
``target/vectors/opening.json``, and here these are run.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections import OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hookweave import Event, HookweaveError

from support import new_client
from vectors.run import rotated
from vectors.sessions import run_session_case

ROOT = Path(__file__).resolve().parents[2]
MORE = ROOT / "target" / "vectors" / "opening.json"
SHARED = ROOT / "tests" / "vectors" / "opening" / "cases.json"
CASES: list[dict[str, Any]] = json.loads(
    (MORE if "HOOKWEAVE_CASES" in os.environ else SHARED).read_text(encoding="utf-8")
)["cases"]
SEED = int(os.environ.get("HOOKWEAVE_SEED", "20261123"))


def test_nothing_opens() -> None:
    """In no case does the tool run."""
    failed = []
    for case, style in rotated(CASES, lambda case: ("sync", "async")):
        try:
            run_session_case(case, style)
        except Exception as error:
            failed.append(f"{style}: {error}\n    {json.dumps(case)}")
    assert not failed, "\n".join(failed)


def _changes(event: Any) -> None:
    """Tries to change what the event carries, by every way that there is."""
    for change in (
        lambda: event.args.__setitem__("command", "rm -rf /"),
        lambda: event.args.update(command="rm -rf /"),
        lambda: setattr(event.args, "command", "rm -rf /"),
        lambda: event.args["inner"].__setitem__("command", "rm -rf /"),
        lambda: event.args["list"].append("rm -rf /"),
    ):
        with contextlib.suppress(Exception):
            change()


KINDS: list[Callable[[dict[str, Any]], Mapping[str, Any]]] = [
    dict,
    OrderedDict,
    lambda fields: defaultdict(list, fields),
    UserDict,
]


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _shown(field) for key, field in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return value


def test_nobody_changes_an_event_in_place() -> None:
    """Containers of any class: a hook's changes to its copy do not change what is decided about."""
    dice = random.Random(SEED)
    for number in range(60):
        client = new_client(mode=dice.choice(["sequential", "parallel"]))
        came = {"command": "ls", "list": ["ls"]}
        if dice.random() < 0.5:
            came["inner"] = dice.choice(KINDS)({"command": "ls"})  # type: ignore[assignment]
        args = dice.choice(KINDS)(came)
        hooks: list[tuple[str, Callable[[Event], Any]]] = [
            ("allows", lambda event: {"action": "allow"}),
            ("changes", _changes),
            ("looks", lambda event: None),
        ]
        dice.shuffle(hooks)
        for name, hook in hooks:
            client.register_hook("PreToolUse", hook, name=name, mandatory=name == "looks")
        outcome = client.dispatch_sync("PreToolUse", tool="Bash", args=args)
        case = f"case {number} of seed {SEED}: {type(args).__name__} {args!r} by {[name for name, _ in hooks]}"
        left = _shown(outcome.event.args)
        assert outcome.blocked or "rm -rf /" not in json.dumps(left, default=repr), case


def test_what_is_too_deep_to_be_shown_does_not_pass() -> None:
    """However deep the arguments nest: a guard that looks at them refuses, or the call is refused without it."""
    dice = random.Random(SEED)
    for _ in range(40):
        depth = dice.randrange(100, 160)
        value: Any = "x"
        for _ in range(depth):
            value = [value] if dice.random() < 0.5 else {"k": value}
        client = new_client(mode=dice.choice(["sequential", "parallel"]))

        @client.hook("PreToolUse")
        def guard(event: Any) -> Any:
            return {"action": "block", "reason": "no"} if event.args else None

        try:
            outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "rm", "note": value})
        except HookweaveError:
            continue
        assert outcome.blocked, f"{depth} deep, seed {SEED}: {outcome}"
