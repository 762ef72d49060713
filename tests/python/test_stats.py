"""Statistics of hooks beyond the vectors: their Python form, the log, and that nothing is lost among threads."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from hookweave import HookClient, HookResponse, HookWarning

from support import new_client

BASH = {"tool": "Bash", "args": {"command": "ls"}}


def test_what_a_program_reads() -> None:
    client = new_client()

    @client.hook("PreToolUse")
    def slow(event: object) -> None:
        time.sleep(0.02)

    @client.hook("PreToolUse", matcher={"tool": "Edit"})
    def other(event: object) -> None: ...

    began, clock = datetime.now(UTC), time.perf_counter()
    client.dispatch_sync("PreToolUse", BASH)
    took, ended = time.perf_counter() - clock, datetime.now(UTC)
    stats = client.stats()
    assert stats["slow"].duration is not None
    assert 0.018 < stats["slow"].duration.p50 <= stats["slow"].duration.max < took + 0.001
    assert stats["slow"].last_run is not None
    # The wall clock is read after the clock of runs, and on a busy machine time passes between.
    assert began - timedelta(minutes=1) <= stats["slow"].last_run <= ended + timedelta(minutes=1)
    assert stats["other"].never_matched
    assert stats["other"].duration is None
    assert stats["other"].last_run is None
    assert stats.events == {"PreToolUse": 1}
    with pytest.raises(KeyError):
        stats["nobody"]
    assert json.loads(json.dumps(stats.to_dict()))["hooks"][0]["hook"] == "slow"
    assert client.stats(reset=True)["slow"].runs == 1
    assert client.stats()["slow"].runs == 0


def test_where_names_repeat_a_hook_is_found_by_its_id() -> None:
    client = new_client()
    ids = [client.register_hook("PreToolUse", lambda event: None, name="guard") for _ in range(2)]
    client.dispatch_sync("PreToolUse", BASH)
    assert client.stats()[ids[1]].runs == 1
    with pytest.raises(KeyError, match=f"2 hooks are named `guard`.*{ids[0]}, {ids[1]}"):
        client.stats()["guard"]


def test_awaited_dispatches_count() -> None:
    client = new_client()

    @client.hook("PreToolUse")
    async def waits(event: object) -> HookResponse:
        await asyncio.sleep(0)
        return HookResponse.block("no")

    asyncio.run(_twice(client))
    assert client.stats()["waits"].decisions == {"block": 2}


async def _twice(client: HookClient) -> None:
    await client.dispatch("PreToolUse", BASH)
    await client.dispatch("PreToolUse", BASH)


def test_nothing_is_lost_among_threads() -> None:
    client = new_client()

    @client.hook("PreToolUse")
    def quiet(event: object) -> None: ...

    def work() -> None:
        for _ in range(2000):
            client.dispatch_sync("PreToolUse", BASH)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stats = client.stats()
    assert (stats["quiet"].runs, stats.events["PreToolUse"]) == (8000, 8000)


def test_a_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    client = new_client()

    @client.hook("PreToolUse", matcher={"tool": "Bsh"})
    def misspelt(event: object) -> None: ...

    @client.hook("PreToolUse")
    def right(event: object) -> None: ...

    with caplog.at_level(logging.WARNING, "hookweave"):
        for _ in range(1100):
            client.dispatch_sync("PreToolUse", BASH)
    [record] = caplog.records
    assert record.getMessage().startswith("hook misspelt on PreToolUse ran in none of 128 dispatches")
    assert "did you mean `Bash`" in record.getMessage()
    [warning] = client.stats().warnings
    assert isinstance(warning, HookWarning)
    assert (warning.hook, warning.kind) == ("misspelt", "never_matched")
    assert "1100 dispatches" in str(warning)
