"""What data the hooks of Amplifier are given, what they make of them, and how data are collected."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hookweave import _async_compat
from hookweave.compat.amplifier import (
    HookRegistry,
    HookResult,
)

from compat_amplifier import (
    CONTINUE,
    emitted,
    says,
)
from test_loops import LOOPS


def test_changes_chain_and_replace_the_data_as_a_whole() -> None:
    async def add_five(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(action="modify", data={**data, "value": data["value"] + 5})

    result = emitted(says(action="modify", data={"value": 20}), add_five, CONTINUE, data={"value": 10, "gone": True})
    assert result.data == {"value": 25}


def test_a_modify_without_data_and_data_without_modify_change_nothing() -> None:
    for hook in (says(action="modify"), says(data={"value": 9})):
        data = emitted(hook).data
        assert data is not None and data.keys() == {"value", "timestamp"} and data["value"] == 1


def test_hooks_do_not_see_what_another_did_to_its_own_data() -> None:
    given = {"value": {"deep": [1]}}

    async def spoils(event: str, data: dict[str, Any]) -> HookResult:
        data["value"]["deep"].append(2)
        data["more"] = True
        return HookResult()

    seen = []

    async def looks(event: str, data: dict[str, Any]) -> HookResult:
        seen.append(data)
        return HookResult()

    result = emitted(spoils, looks, data=given)
    assert seen[0]["value"] == {"deep": [1]} and "more" not in seen[0]
    assert given == {"value": {"deep": [1]}} and result.data["value"] == {"deep": [1]}


def test_what_json_lacks_is_text() -> None:
    data = {"price": Decimal("1.50"), "at": datetime(2026, 1, 2, 3, 4, 5), "pair": (1, 2), "raw": b"x", 1: "one"}
    seen = []

    async def looks(event: str, data: dict[str, Any]) -> HookResult:
        seen.append({name: value for name, value in data.items() if name != "timestamp"})
        return HookResult()

    result = emitted(looks, says(action="modify", data={"price": Decimal("2.5")}), data=data)
    expected = {"price": "1.50", "at": "2026-01-02 03:04:05", "pair": [1, 2], "raw": "b'x'", "1": "one"}
    assert seen == [expected] and result.data == {"price": "2.5"}
    assert emitted(data={"price": Decimal(1)}).data == {"price": "1"}, "without hooks too"


def test_whole_numbers_are_exact() -> None:
    assert emitted(CONTINUE, data={"big": 2**70}).data["big"] == 2**70


def test_the_time_is_stamped_where_there_are_hooks_and_data_cannot_forge_it() -> None:
    before = datetime.now(UTC)
    stamped = emitted(CONTINUE, data={"timestamp": "yesterday"}).data["timestamp"]
    assert stamped.endswith("+00:00") and before <= datetime.fromisoformat(stamped) <= datetime.now(UTC)
    assert emitted(data={"value": 1}).data == {"value": 1}


def test_default_fields_are_below_the_event_s_data_and_set_anew_each_time() -> None:
    async def main() -> None:
        registry = HookRegistry()
        registry.register("x", CONTINUE)
        registry.set_default_fields(gone=1)
        registry.set_default_fields(session_id="s-1", value="default", timestamp="mine")
        data = (await registry.emit("x", {"value": "event"})).data
        assert data is not None and data["timestamp"] != "mine"
        assert {name: data[name] for name in data if name != "timestamp"} == {"session_id": "s-1", "value": "event"}

    asyncio.run(main())


def test_collecting_runs_all_hooks_and_gives_their_data(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        registry = HookRegistry()

        async def slow(event: str, data: dict[str, Any]) -> HookResult:
            await asyncio.sleep(3600)
            return HookResult(data={"n": "slow"})

        async def raises(event: str, data: dict[str, Any]) -> HookResult:
            raise ValueError("boom")

        async def echo(event: str, data: dict[str, Any]) -> HookResult:
            return HookResult(data=data)

        registry.set_default_fields(default=1)
        registry.register("e", says(action="deny", reason="no", data={"n": 2}), 2)
        registry.register("e", says(action="modify", data={"n": 1, "price": Decimal("0.5")}), 1)
        registry.register("e", slow, 0, "slow")
        registry.register("e", raises, 0)
        registry.register("e", CONTINUE, 0)
        registry.register("e", echo, 3)
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert await registry.emit_and_collect("e", {"q": 1}) == [{"n": 1, "price": "0.5"}, {"n": 2}, {"q": 1}]
        assert loop.time() - began > 0.9, "a second for each hook"
        began = loop.time()
        assert len(await registry.emit_and_collect("e", {"q": 1}, timeout=1.2)) == 3
        assert loop.time() - began > 1.1
        assert await registry.emit_and_collect("nobody listens", {}) == []

    with caplog.at_level(logging.WARNING, logger="hookweave"):
        asyncio.run(main())
    assert "slow" in caplog.text and "boom" in caplog.text


@pytest.mark.parametrize("run", LOOPS)
def test_collecting_leaves_out_who_takes_too_long_on_every_loop(run: Callable[..., Any]) -> None:
    async def slow(event: str, data: dict[str, Any]) -> HookResult:
        await _async_compat.sleep(3600)
        return HookResult(data={"n": 1})

    async def main() -> None:
        registry = HookRegistry()
        registry.register("e", slow)
        registry.register("e", says(data={"n": 2}))
        assert await registry.emit_and_collect("e", {}, timeout=0.3) == [{"n": 2}]

    run(main)
