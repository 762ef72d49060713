"""Hooks that dispatch, as deep as they may and in every way, while every thread for hooks is taken: none hangs."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hookweave import HookClient, _threads
from hookweave._threads import MAX_THREADS

from nested_hooks import CHAINS, LEVELS, SAME
from support import LIMIT

PROGRAM = Path(__file__).with_name("nested_hooks.py")


def ran(name: str) -> dict[str, int]:
    """How many hooks ran for each kind of caller; the program ends itself when something hangs."""
    done = subprocess.run([sys.executable, PROGRAM, name], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize("name", SAME)
def test_levels_that_nest_in_the_same_way(name: str) -> None:
    assert ran(name) == dict.fromkeys(["threads", "asyncio", "trio"], CHAINS * LEVELS)


@pytest.mark.parametrize("name", ["mixed 1", "mixed 2", "mixed 3", "mixed 4 beside commands"])
def test_levels_that_nest_in_any_way(name: str) -> None:
    # The last level of each chain is a command, which counts nothing.
    assert ran(name) == dict.fromkeys(["threads", "asyncio", "trio"], CHAINS * (LEVELS - 1))


def test_listeners_to_late_answers_that_dispatch() -> None:
    assert ran("late answers") == {"late answers": MAX_THREADS}


def test_a_hook_without_a_thread_waits_for_one_that_another_hook_has(monkeypatch: pytest.MonkeyPatch) -> None:
    client = HookClient(default_timeout=None)
    begun, go_on = threading.Event(), threading.Event()
    seen: list[str] = []

    @client.hook("Stop", run_in_thread=True)
    def first(event: object) -> None:
        seen.append(threading.current_thread().name)
        begun.set()
        go_on.wait(LIMIT)

    # Nothing is free in a pool of its own.
    monkeypatch.setattr(_threads, "_pool", _threads._Pool())
    outer = threading.Thread(target=client.dispatch_sync, args=("Stop",), daemon=True)
    outer.start()
    assert begun.wait(LIMIT)
    start = threading.Thread.start

    def none_left(thread: threading.Thread) -> None:
        if thread.name.startswith("hookweave-"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", none_left)
    others = [threading.Thread(target=client.dispatch_sync, args=("Stop",), daemon=True) for _ in range(3)]
    for other in others:
        other.start()
    go_on.set()
    for thread in [outer, *others]:
        thread.join(LIMIT)
        assert not thread.is_alive()
    assert len(seen) == 4 and len(set(seen)) == 1
    # Where nobody can come to it, the hook fails.
    monkeypatch.setattr(_threads, "_pool", _threads._Pool())
    failure = client.dispatch_sync("Stop").trace[0].failure
    assert failure is not None and "can't start new thread" in failure.message


def test_what_interrupts_the_start_of_a_hook_may_dispatch(monkeypatch: pytest.MonkeyPatch) -> None:
    client = HookClient(default_timeout=None)
    ran: list[str] = []
    client.register_hook("Stop", lambda event: ran.append("outer"), run_in_thread=True)
    client.register_hook("SessionEnd", lambda event: ran.append("inner"), run_in_thread=True)
    start = threading.Thread.start

    interruptions: list[threading.Thread] = []

    def interrupted(thread: threading.Thread) -> None:
        # As a signal's handler or the end of an object would.
        if thread.name.startswith("hookweave-") and not interruptions:
            interruptions.append(thread)
            client.dispatch_sync("SessionEnd", reason="x")
        start(thread)

    monkeypatch.setattr(_threads, "_pool", _threads._Pool())
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    caller = threading.Thread(target=client.dispatch_sync, args=("Stop",), name="caller", daemon=True)
    caller.start()
    caller.join(LIMIT)
    assert not caller.is_alive() and ran == ["inner", "outer"]
