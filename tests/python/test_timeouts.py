"""A hook's timeout cancels the hook and nothing else."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
import trio
from hookweave import Event, HookClient, HookResponse, HookTimeoutError

from support import LIMIT, new_client, until_async


def test_only_the_hook_is_cancelled() -> None:
    client = new_client()
    seen: list[str] = []

    @client.hook("Stop", timeout=0.03)
    async def slow(event: Event) -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    @client.hook("Stop")
    async def next_one(event: Event) -> HookResponse:
        await asyncio.sleep(0)
        return HookResponse.block("still here")

    async def main() -> Any:
        outcome = await client.dispatch("Stop")
        task = asyncio.current_task()
        assert task is not None and task.cancelling() == 0
        await asyncio.sleep(0.01)
        return outcome

    outcome = asyncio.run(main())
    assert seen == ["cancelled"]
    assert outcome.reason == "still here"
    failure = outcome.trace[0].failure
    assert failure.kind == "timeout" and failure.became == "continue"
    assert isinstance(failure.error, HookTimeoutError) and isinstance(failure.error, TimeoutError)
    assert failure.error.hook == "slow" and failure.error.code == "timeout"


def test_fail_closed_blocks() -> None:
    client = new_client()

    @client.hook("PreToolUse", timeout=timedelta(milliseconds=20), fail_behavior="block")
    async def guard(event: Event) -> None:
        await asyncio.sleep(3600)

    async def main() -> Any:
        return await client.dispatch("PreToolUse", tool="x")

    outcome = asyncio.run(main())
    assert outcome.blocked and outcome.reason.startswith("hook guard failed: no answer within 20")


@pytest.mark.parametrize("late", ["returns", "raises", "cleans up"])
def test_a_hook_that_catches_the_cancel_is_late_all_the_same(late: str) -> None:
    client = new_client()

    @client.hook("Stop", timeout=0.02)
    async def stubborn(event: Event) -> HookResponse:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            if late == "raises":
                raise ValueError("in clean-up") from None
            if late == "cleans up":
                await asyncio.sleep(0.02)
        return HookResponse.block("too late")

    async def main() -> Any:
        return await client.dispatch("Stop")

    began = time.perf_counter()
    outcome = asyncio.run(main())
    assert outcome.trace[0].failure.kind == "timeout" and not outcome.blocked
    if late == "cleans up":
        assert time.perf_counter() - began >= 0.04


def test_many_waiting_hooks_share_one_timer() -> None:
    client = new_client()
    timers: list[float] = []
    begun: list[Event] = []

    async def hangs(event: Event) -> None:
        begun.append(event)
        await asyncio.sleep(3600)

    client.register_hook("Stop", hangs, timeout=0.05)
    client.register_hook("PreToolUse", hangs, timeout=900)

    async def main() -> list[Any]:
        outcomes = await asyncio.gather(*(client.dispatch("Stop") for _ in range(100)))
        begun.clear()
        loop = asyncio.get_running_loop()
        set_timer = loop.call_later

        def counting(delay: float, *rest: Any, **options: Any) -> Any:
            timers.append(delay)
            return set_timer(delay, *rest, **options)

        loop.call_later = counting  # type: ignore[method-assign]
        waiting = [asyncio.create_task(client.dispatch("PreToolUse", tool="Bash")) for _ in range(100)]
        await until_async(lambda: len(begun) == 100)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return outcomes

    outcomes = asyncio.run(main())
    assert all(outcome.trace[0].failure.kind == "timeout" for outcome in outcomes)
    assert len([delay for delay in timers if 600 < delay < 1000]) == 1


def test_an_earlier_deadline_moves_the_timer_forward() -> None:
    client = new_client()

    hasty_is_over = asyncio.Event()

    @client.hook("PreToolUse", timeout=900)
    async def patient(event: Event) -> None:
        await hasty_is_over.wait()

    @client.hook("Stop", timeout=0.02)
    async def hasty(event: Event) -> None:
        await asyncio.sleep(3600)

    async def main() -> tuple[Any, Any]:
        waiting = asyncio.create_task(client.dispatch("PreToolUse", tool="Bash"))
        await asyncio.sleep(0)
        hasty_outcome = await asyncio.wait_for(client.dispatch("Stop"), LIMIT)
        hasty_is_over.set()
        return await waiting, hasty_outcome

    patient_outcome, hasty_outcome = asyncio.run(main())
    assert patient_outcome.trace[0].failure is None
    assert hasty_outcome.trace[0].failure.kind == "timeout"


def test_loops_that_were_closed_are_forgotten() -> None:
    client = HookClient(default_timeout=60)

    @client.hook("Stop")
    async def waits(event: Event) -> None:
        await asyncio.sleep(0)

    async def main() -> Any:
        return await client.dispatch("Stop")

    for _ in range(20):
        assert asyncio.run(main()).trace[0].failure is None


def test_no_timeout_arms_none() -> None:
    client = HookClient(default_timeout=None)

    @client.hook("Stop")
    async def waits(event: Event) -> None:
        await asyncio.sleep(0.01)

    async def main() -> Any:
        asyncio.get_running_loop().call_at = None  # type: ignore[method-assign, assignment]
        return await client.dispatch("Stop")

    # asyncio.sleep itself needs call_later, which asks call_at: the hook fails, and the engine has set no timer.
    assert asyncio.run(main()).trace[0].failure.kind == "raised"
    assert client.list_hooks()[0].timeout is None


@pytest.mark.parametrize("is_async", [False, True])
def test_a_hook_that_overran_without_waiting_counts(is_async: bool) -> None:
    client = new_client()

    def sync(event: Event) -> HookResponse:
        time.sleep(0.03)
        return HookResponse.block("slow but sure")

    async def awaited(event: Event) -> HookResponse:
        return sync(event)

    client.register_hook("PreToolUse", awaited if is_async else sync, timeout=0.01)

    async def main() -> Any:
        return await client.dispatch("PreToolUse", tool="Bash")

    outcomes = [asyncio.run(main())] + ([] if is_async else [client.dispatch_sync("PreToolUse", tool="Bash")])
    for outcome in outcomes:
        assert outcome.blocked and outcome.trace[0].overran and outcome.trace[0].duration >= 0.03


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
@pytest.mark.parametrize("on_trio", [False, True])
def test_timeouts_hold_by_the_clock_while_the_loop_is_blocked(mode: Any, on_trio: bool) -> None:
    client = new_client(mode=mode)
    sleep = trio.sleep if on_trio else asyncio.sleep
    begun = trio.Event() if on_trio else asyncio.Event()
    client.register_hook("PreToolUse", lambda event: None)

    @client.hook("PreToolUse", matcher={"tool": "held"}, timeout=0.04, fail_behavior="block")
    async def late(event: Event) -> HookResponse:
        begun.set()
        await sleep(0.08)
        return HookResponse.allow()

    @client.hook("PreToolUse", matcher={"tool": "holds"}, timeout=0.3, fail_behavior="block")
    async def blocks(event: Event) -> HookResponse:
        await sleep(0)
        time.sleep(0.35)
        return HookResponse.ask()

    async def holds_the_loop() -> None:
        await begun.wait()
        time.sleep(0.15)

    async def main() -> list[Any]:
        if on_trio:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(holds_the_loop)
                held = await client.dispatch("PreToolUse", tool="held")
        else:
            task = asyncio.create_task(holds_the_loop())
            held = await client.dispatch("PreToolUse", tool="held")
            await task
        # One that blocks the loop itself cannot be interrupted.
        return [held, await client.dispatch("PreToolUse", tool="holds")]

    held, holds = trio.run(main) if on_trio else asyncio.run(main())
    [failed] = [entry for entry in held.trace if entry.status == "failed"]
    assert held.blocked and failed.failure.kind == "timeout"
    # The loop comes to it late; trio's may have done so before it was held.
    assert failed.duration >= (0.04 if on_trio else 0.1)
    [overran] = [entry for entry in holds.trace if entry.overran]
    assert holds.decision == "ask" and overran.duration >= 0.35


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
@pytest.mark.parametrize("on_trio", [False, True])
def test_timeouts_in_stages(mode: Any, on_trio: bool) -> None:
    client = new_client(mode=mode)
    sleep = trio.sleep if on_trio else asyncio.sleep

    @client.hook("Stop", timeout=0.03)
    async def slow(event: Event) -> None:
        await sleep(3600)

    @client.hook("Stop")
    async def quick(event: Event) -> HookResponse:
        await sleep(0.001)
        return HookResponse.block("quick")

    async def main() -> Any:
        return await client.dispatch("Stop")

    outcome = trio.run(main) if on_trio else asyncio.run(main())
    assert [entry.status for entry in outcome.trace] == ["failed", "ran"]
    assert outcome.trace[0].failure.kind == "timeout" and outcome.reason == "quick"


def test_permission_requests_may_wait_for_a_person() -> None:
    client = HookClient()
    client.register_hook("PermissionRequest", lambda event: None)
    client.register_hook("PreToolUse", lambda event: None)
    assert [hook.timeout for hook in sorted(client.list_hooks(), key=lambda hook: hook.event)] == [300.0, 5.0]


def test_time_that_a_test_has_stopped_ends_no_timeout_and_no_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    client = new_client()
    release = threading.Event()

    @client.hook("PreToolUse", timeout=0.05, run_in_thread=True, fail_behavior="block")
    def hangs(event: Event) -> None:
        release.wait(LIMIT)

    client.register_hook("Stop", lambda event: time.sleep(0.03))
    seen: list[float] = []
    client.register_hook("PostToolUse", lambda event: seen.append(event.result.duration))
    session = client.session(permissions="allow")
    clock = time.perf_counter
    began = clock()
    for name in ("time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "perf_counter_ns"):
        monkeypatch.setattr(time, name, lambda: 0)
    try:
        held = client.dispatch_sync("PreToolUse", tool="x")
    finally:
        release.set()
    stopped = client.dispatch_sync("Stop")
    asyncio.run(session.run_tool("Other", {}, lambda args: time.sleep(0.03)))
    took = clock() - began
    assert held.blocked and held.trace[0].failure.kind == "timeout" and held.trace[0].duration >= 0.04
    assert 0.02 < stopped.trace[0].duration < took
    [milliseconds] = seen
    assert 20 < milliseconds < took * 1000


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
def test_a_guard_holds_when_others_block_the_loop_and_its_wait_is_over(mode: Any) -> None:
    client = new_client(mode=mode, fail_behavior="block")

    async def guard(event: Event) -> HookResponse:
        await asyncio.sleep(0.01)
        return HookResponse.block()

    client.register_hook("PreToolUse", guard, timeout=0.05)
    client.register_hook("PreToolUse", lambda _: None)

    async def block_the_loop() -> None:
        time.sleep(0.3)

    async def main() -> Any:
        outcome, _ = await asyncio.gather(client.dispatch("PreToolUse", tool="x"), block_the_loop())
        return outcome

    outcome = asyncio.run(main())
    entry = outcome.trace[0]
    assert outcome.blocked
    # The loop decides whether the answer comes first.
    assert entry.overran if entry.failure is None else entry.failure.kind == "timeout"
