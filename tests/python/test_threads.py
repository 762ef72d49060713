"""Blocking handlers on threads, and blocking dispatches from threads."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hookweave import AwaitableInSyncDispatchError, Event, HookClient, HookResponse, InvalidHookError
from hookweave._threads import MAX_THREADS

from support import LIMIT, new_client, until_async

pytestmark = pytest.mark.memory


def blocking(client: HookClient) -> Any:
    return client.dispatch_sync("PreToolUse", tool="Bash")


def on_asyncio(client: HookClient) -> Any:
    async def main() -> Any:
        return await client.dispatch("PreToolUse", tool="Bash")

    return asyncio.run(main())


def on_trio(client: HookClient) -> Any:
    async def main() -> Any:
        return await client.dispatch("PreToolUse", tool="Bash")

    return trio.run(main)


WAYS = [blocking, on_asyncio, on_trio]


@pytest.mark.parametrize("mode", ["sequential", "parallel"])
@pytest.mark.parametrize("way", WAYS)
def test_runs_elsewhere_and_answers(way: Callable[[HookClient], Any], mode: Any) -> None:
    client = new_client(mode=mode)
    threads: list[threading.Thread] = []

    @client.hook("PreToolUse", run_in_thread=True)
    def handler(event: Event) -> HookResponse:
        threads.append(threading.current_thread())
        return HookResponse.block(event.event_type)

    client.register_hook("PreToolUse", lambda event: None)
    assert way(client).reason == "PreToolUse"
    assert threads[0] is not threading.current_thread() and threads[0].daemon


@pytest.mark.parametrize("way", WAYS)
def test_the_timeout_holds_there(way: Callable[[HookClient], Any]) -> None:
    client = new_client()
    release = threading.Event()
    ended: list[bool] = []
    hook = lambda event: ended.append(release.wait(LIMIT))  # noqa: E731
    client.register_hook("PreToolUse", hook, timeout=0.05, run_in_thread=True)
    try:
        outcome = way(client)
        assert ended == []
    finally:
        release.set()
    assert outcome.trace[0].failure.kind == "timeout"


@pytest.mark.parametrize("way", WAYS)
def test_exceptions_come_back(way: Callable[[HookClient], Any]) -> None:
    client = new_client()

    @client.hook("PreToolUse", run_in_thread=True)
    def handler(event: Event) -> None:
        raise LookupError("from a thread")

    failure = way(client).trace[0].failure
    assert failure.kind == "raised" and isinstance(failure.error.__cause__, LookupError)


def test_a_coroutine_function_is_refused() -> None:
    client = new_client()

    async def handler(event: Event) -> None: ...

    with pytest.raises(InvalidHookError, match="run_in_thread is for blocking handlers"):
        client.register_hook("Stop", handler, run_in_thread=True)


def test_the_loop_stays_free() -> None:
    client = new_client()
    begun, release = threading.Event(), threading.Event()

    @client.hook("Stop", run_in_thread=True)
    def waits(event: Event) -> HookResponse:
        begun.set()
        return HookResponse.block("released" if release.wait(LIMIT) else "in vain")

    async def main() -> Any:
        task = asyncio.create_task(client.dispatch("Stop"))
        await until_async(begun.is_set)
        for _ in range(5):
            await asyncio.sleep(0.005)
        release.set()
        return await task

    assert asyncio.run(main()).reason == "released"


def test_the_pool_is_bounded_and_used_again() -> None:
    client = new_client()
    names: set[str] = set()

    def handler(event: Event) -> None:
        names.add(threading.current_thread().name)
        time.sleep(0.002)

    client.register_hook("Stop", handler, run_in_thread=True)

    async def main() -> None:
        await asyncio.gather(*(client.dispatch("Stop") for _ in range(MAX_THREADS * 4)))

    asyncio.run(main())
    assert len(names) <= MAX_THREADS


def test_nested_hooks_find_a_thread_after_jobs_have_waited() -> None:
    client = new_client()
    client.register_hook("Stop", lambda event: time.sleep(0.002), run_in_thread=True)
    nesting = new_client()
    runs: list[int] = []

    @nesting.hook("Stop", run_in_thread=True)
    def again(event: Event) -> None:
        runs.append(1)
        if len(runs) < MAX_THREADS * 2:
            nesting.dispatch_sync("Stop")

    async def main() -> None:
        await asyncio.gather(*(client.dispatch("Stop") for _ in range(MAX_THREADS * 4)))

    asyncio.run(main())
    caller = threading.Thread(target=nesting.dispatch_sync, args=("Stop",), daemon=True)
    caller.start()
    caller.join(LIMIT)
    assert not caller.is_alive()
    assert len(runs) == min(MAX_THREADS * 2, 17)


def test_dispatch_sync_from_many_threads() -> None:
    client = new_client()
    results: list[str | None] = []

    @client.hook("PreToolUse")
    def handler(event: Any) -> HookResponse:
        time.sleep(0)
        return HookResponse.block(event.args["who"])

    def work(who: str) -> None:
        for _ in range(200):
            outcome = client.dispatch_sync("PreToolUse", tool="x", args={"who": who})
            assert outcome.reason == who
        results.append(who)

    threads = [threading.Thread(target=work, args=(str(n),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for n in range(50):
        client.unregister_hook(client.register_hook("Stop", handler, name=str(n)))
    for thread in threads:
        thread.join()
    assert len(results) == 8


def test_dispatch_sync_refuses_before_the_first_hook() -> None:
    client = new_client()
    ran: list[str] = []
    client.register_hook("PreToolUse", lambda event: ran.append("sync"))

    @client.hook("PreToolUse", matcher={"tool": "Bash"})
    async def guard(event: Event) -> None: ...

    why = r"hook guard on PreToolUse .*await client\.dispatch"
    with pytest.raises(AwaitableInSyncDispatchError, match=why) as refused:
        client.dispatch_sync("PreToolUse", tool="Bash")
    assert refused.value.code == "awaitable_in_sync_dispatch" and ran == []
    assert client.dispatch_sync("PreToolUse", tool="Write").decision == "continue"
    assert ran == ["sync"]


def test_an_unexpected_awaitable_is_closed_and_blocks_a_gate() -> None:
    client = new_client()
    made: list[Any] = []

    async def later() -> None:
        raise AssertionError("must not run")

    def disguised(event: Event) -> Any:
        made.append(later())
        return made[-1]

    client.register_hook("PreToolUse", disguised)
    client.register_hook("SessionEnd", disguised)
    gate = client.dispatch_sync("PreToolUse", tool="x")
    assert gate.blocked and "dispatch_sync cannot await" in gate.reason
    notice = client.dispatch_sync("SessionEnd", reason="x")
    assert not notice.blocked and notice.trace[0].failure.kind == "invalid_answer"
    for coroutine in made:
        with pytest.raises(RuntimeError, match="cannot reuse"):
            coroutine.send(None)


def test_hanging_threads_do_not_keep_the_process_alive() -> None:
    program = """
import threading
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.register_hook("Stop", lambda event: threading.Event().wait(), timeout=0.05, run_in_thread=True)
print(client.dispatch_sync("Stop").trace[0].failure.kind)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.stdout, done.returncode) == ("timeout\n", 0)
    # No log is configured, and it is shown anyway.
    [seen] = done.stderr.splitlines()
    assert "failed on Stop" in seen and "timeout" in seen and "the action continues" in seen
