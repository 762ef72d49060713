"""What one thread registers or takes out holds on every thread from the moment when the call has returned."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hookweave import HookClient

from support import ALL, new_client

THREADS = 4
TURNS = 1000 if ALL else 200


@pytest.fixture(autouse=True)
def _busy_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


class Guard:
    """A hook, and whether every dispatch that begins now has to meet it, must not meet it, or may do either."""

    def __init__(self) -> None:
        self.met = threading.local()
        self.must = False
        self.must_not = True
        self.turn = 0

    def __call__(self, event: Any) -> dict[str, Any]:
        self.met.now = True
        return {"action": "block", "reason": "guarded"}


def race(client: HookClient, guard: Guard, put_in: Callable[[], None], take_out: Callable[[], None]) -> None:
    """Puts a guard in and takes it out while threads dispatch."""
    wrong: list[str] = []
    rounds = [0]
    over = threading.Event()

    def dispatches() -> None:
        while not over.is_set():
            # What held before the dispatch began and still holds after it held all the time.
            turn, must, must_not = guard.turn, guard.must, guard.must_not
            guard.met.now = False
            outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={})
            same = guard.turn == turn
            if must and same and not (outcome.blocked and guard.met.now):
                wrong.append("a dispatch began without it")
            if must_not and same and (outcome.blocked or guard.met.now):
                wrong.append("a dispatch began with it")
            rounds[0] += 1

    threads = [threading.Thread(target=dispatches) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    turns = 0
    while (turns < TURNS or rounds[0] <= 100) and not wrong and all(thread.is_alive() for thread in threads):
        turns += 1
        guard.turn += 1
        guard.must_not = False
        put_in()
        guard.must = True
        time.sleep(0.0005)
        guard.must = False
        guard.turn += 1
        take_out()
        guard.must_not = True
        time.sleep(0.0005)
    over.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert rounds[0] > 100


def client_with_others() -> HookClient:
    client = new_client(max_hooks_per_event=None, max_total_hooks=None)
    for number in range(50):
        client.register_hook("PreToolUse", lambda event: None, matcher={"command_pattern": f"never{number}"})
    return client


def test_registering_and_removing() -> None:
    client, guard = client_with_others(), Guard()
    ids: list[str] = []

    def put_in() -> None:
        ids.append(client.register_hook("PreToolUse", guard))

    def take_out() -> None:
        assert client.unregister_hook(ids.pop())

    race(client, guard, put_in, take_out)


def test_enabling_and_disabling() -> None:
    client, guard = client_with_others(), Guard()
    hook = client.register_hook("PreToolUse", guard)
    client.disable_hook(hook)
    race(client, guard, lambda: client.enable_hook(hook), lambda: client.disable_hook(hook))


def test_a_hook_for_some_lines() -> None:
    client, guard = client_with_others(), Guard()
    inside: list[Any] = []

    def put_in() -> None:
        inside.append(client.temporary_hook("PreToolUse", guard))
        inside[-1].__enter__()

    race(client, guard, put_in, lambda: inside.pop().__exit__(None, None, None))
