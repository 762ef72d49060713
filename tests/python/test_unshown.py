"""What a hook cannot be shown, where no vector can say it: containers that stand in many places."""

from __future__ import annotations

from typing import Any

import pytest
from hookweave import PayloadError, PreToolUseEvent

from support import new_client


def shared(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"v": 1}
    for _ in range(levels):
        inner = {"a": inner, "b": inner}
    return inner


@pytest.mark.parametrize("levels", [20, 120])
def test_one_container_in_many_places_is_bounded(levels: int) -> None:
    client = new_client()
    refused = []

    @client.hook("PreToolUse")
    def guard(event: PreToolUseEvent) -> None:
        with pytest.raises(PayloadError) as raised:
            _ = event.args
        refused.append(raised.value.code)
        assert event.tool == "X", "other fields are shown"

    outcome = client.dispatch_sync("PreToolUse", tool="X", args=shared(levels))
    assert outcome.blocked
    assert outcome.reason == "hooks cannot be shown the event: args: holds more than 1000000 values"
    assert outcome.trace[0].status == "ran", "no hook is to blame"
    assert refused == ["payload_too_large"]


def test_a_wide_payload_is_shown() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: None if len(event.args["rows"]) == 100_000 else 1 / 0)
    outcome = client.dispatch_sync("PreToolUse", tool="X", args={"rows": [{"n": n} for n in range(100_000)]})
    assert (outcome.blocked, outcome.trace[0].status) == (False, "ran")


def test_the_whole_event_is_not_shown_either() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: print(dict(event)))
    assert client.dispatch_sync("PreToolUse", tool="X", args=shared(20)).blocked
