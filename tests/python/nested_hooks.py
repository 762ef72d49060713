"""Nests hooks in one way, as deep as they may, from every kind of caller at once; a program that ``test_nesting`` runs.

Each chain begins by filling the pool of threads for hooks: no hook goes on before every thread has one.
"""

from __future__ import annotations

import asyncio
import contextvars
import faulthandler
import json
import logging
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from random import Random
from typing import Any

import trio
from hookweave import Event, HookClient, HookResponse, LateAnswer
from hookweave._threads import MAX_THREADS

from hook_files import hooks_file

CHAINS = MAX_THREADS * 2
"""How many chains each kind of caller begins."""

LEVELS = 17
"""How deep dispatches nest: sixteen below the first."""

DEADLINE = 100.0


class Nesting:
    """One client whose hooks dispatch what is left of a plan: a list of ``[way, kind]``, the first of which is due."""

    def __init__(self, folder: Path, gate: threading.Barrier, *, beside: bool) -> None:
        # Without a time limit, a hook that waits for ever is seen to.
        self.client = HookClient(default_timeout=None, max_hooks_per_event=None)
        logging.getLogger("hookweave").setLevel(logging.ERROR)
        self.gate = gate
        self.count = 0
        self.lock = threading.Lock()
        matcher = {} if beside else {"matcher": {"tool": "file"}}
        self.client.load(hooks_file(folder, {"event": "PreToolUse", "command": ":", **matcher}))
        self.client.register_hook("PreToolUse", self.on_thread, matcher={"tool": "thread"}, run_in_thread=True)
        self.client.register_hook("PreToolUse", self.inline, matcher={"tool": "sync"})
        self.client.register_hook("PreToolUse", self.awaited, matcher={"tool": "async"})

    def due(self, event: Any) -> list[list[str]]:
        with self.lock:
            self.count += 1
        plan: list[list[str]] = event.args["plan"]
        return plan

    def on_thread(self, event: Any) -> None:
        plan = self.due(event)
        if event.args["fills"]:
            self.gate.wait(DEADLINE)
        self.go_on(plan, free=True)

    def inline(self, event: Any) -> None:
        self.go_on(self.due(event), free=event.args["free"])

    async def awaited(self, event: Any) -> None:
        plan = self.due(event)
        if plan:
            [(way, kind), *rest] = plan
            assert way == "await"
            await self.dispatch(kind, rest, free=False)

    def payload(self, rest: list[list[str]], *, free: bool) -> dict[str, Any]:
        return {"plan": rest, "free": free, "fills": len(rest) == LEVELS - 1}

    async def dispatch(self, kind: str, rest: list[list[str]], *, free: bool) -> None:
        outcome = await self.client.dispatch("PreToolUse", tool=kind, args=self.payload(rest, free=free))
        check(outcome)

    def dispatch_sync(self, kind: str, rest: list[list[str]], *, free: bool) -> None:
        check(self.client.dispatch_sync("PreToolUse", tool=kind, args=self.payload(rest, free=free)))

    def go_on(self, plan: list[list[str]], *, free: bool) -> None:
        """Dispatches what is due from code that cannot await; it is free where no loop runs around it."""
        if not plan:
            return
        [(way, kind), *rest] = plan
        if way == "blocking":
            self.dispatch_sync(kind, rest, free=free)
        elif way == "asyncio":
            asyncio.run(self.dispatch(kind, rest, free=False))
        elif way == "trio":
            trio.run(lambda: self.dispatch(kind, rest, free=False))
        elif way == "loop":
            self.on_loop(lambda: self.dispatch(kind, rest, free=False))
        elif way == "plain":
            on_plain_thread(lambda: self.dispatch_sync(kind, rest, free=True))
        else:
            raise AssertionError(way)

    loop: asyncio.AbstractEventLoop | trio.lowlevel.TrioToken

    def on_loop(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a coroutine on the loop of the first dispatch, and waits for it."""
        if isinstance(self.loop, trio.lowlevel.TrioToken):
            trio.from_thread.run(work, trio_token=self.loop)
        else:
            asyncio.run_coroutine_threadsafe(work(), self.loop).result()


def check(outcome: Any) -> None:
    assert {entry.status for entry in outcome.trace} == {"ran"}, outcome.describe()


def on_plain_thread(work: Callable[[], None]) -> None:
    """As ``asyncio.to_thread`` does it: in a copy of the context."""
    done: Future[None] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(work))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    done.result()


SAME = {
    "threads that block": ("blocking", "thread"),
    "threads with a loop of asyncio's": ("asyncio", "thread"),
    "threads with a loop of trio's": ("trio", "thread"),
    "threads that ask the first loop": ("loop", "thread"),
    "threads that wait for threads of their own": ("plain", "thread"),
}
"""Every level nests in the same way."""


def mixed(dice: Random) -> list[list[str]]:
    """Levels that nest in any way that can be, the last one by a command."""
    plan: list[list[str]] = []
    here = "free"
    for level in range(LEVELS):
        last = level == LEVELS - 1
        way = dice.choice(
            {"free": ["blocking", "asyncio", "trio", "plain"], "stuck": ["blocking"]}.get(here, ["await"])
        )
        awaits = way in ("asyncio", "trio", "await")
        kind = "file" if last else "thread" if level == 0 else dice.choice(["sync", "thread", *["async"] * awaits])
        plan.append([way, kind])
        if kind == "thread":
            here = "free"
        elif kind == "async":
            here = "loop"
        elif awaits:
            here = "stuck"
        elif way == "plain":
            here = "free"
    return plan


def plans(name: str) -> list[list[list[str]]]:
    if name in SAME:
        return [[list(SAME[name])] * LEVELS] * CHAINS
    dice = Random(name)
    return [mixed(dice) for _ in range(CHAINS)]


def run(name: str, caller: str, folder: Path) -> int:
    """How many hooks ran."""
    nesting = Nesting(folder, threading.Barrier(MAX_THREADS), beside="commands" in name)
    if caller == "threads":
        loop = asyncio.new_event_loop()
        nesting.loop = loop
        threading.Thread(target=loop.run_forever, daemon=True).start()
        threads = [threading.Thread(target=nesting.go_on, args=(plan,), kwargs={"free": True}) for plan in plans(name)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        loop.call_soon_threadsafe(loop.stop)
    elif caller == "asyncio":

        async def on_asyncio() -> None:
            nesting.loop = asyncio.get_running_loop()
            firsts = [nesting.dispatch(plan[0][1], plan[1:], free=False) for plan in plans(name)]
            await asyncio.gather(*firsts)

        asyncio.run(on_asyncio())
    else:

        async def on_trio() -> None:
            nesting.loop = trio.lowlevel.current_trio_token()
            async with trio.open_nursery() as nursery:
                for plan in plans(name):
                    nursery.start_soon(lambda plan=plan: nesting.dispatch(plan[0][1], plan[1:], free=False))

        trio.run(on_trio)
    return nesting.count


def late_answers(count: int) -> int:
    """How many listeners to late answers could dispatch, while those of all others wait for their own hooks too."""
    client = HookClient(default_timeout=None, max_detached=count)
    begun, all_hear, heard = threading.Event(), threading.Barrier(count), queue.SimpleQueue[str]()

    @client.hook("PostToolUse", run_in_thread=True, detached=True)
    def answers(event: Event) -> HookResponse:
        begun.wait(DEADLINE)
        return HookResponse.block("late")

    @client.hook("Stop", run_in_thread=True)
    def asked(event: Event) -> None: ...

    def hear(answer: LateAnswer) -> None:
        all_hear.wait(DEADLINE)
        heard.put(client.dispatch_sync("Stop").trace[0].status)

    client.on_late_answer(hear)
    for _ in range(count):
        client.dispatch_sync("PostToolUse", tool="Bash", args={}, result={})
    begun.set()
    return [heard.get() for _ in range(count)].count("ran")


def threads_for_hooks() -> int:
    return sum(thread.name.startswith("hookweave-") for thread in threading.enumerate())


def main() -> None:
    name = sys.argv[1]
    # Says where everything stands when something hangs.
    faulthandler.dump_traceback_later(DEADLINE, exit=True)
    if name == "late answers":
        print(json.dumps({name: late_answers(MAX_THREADS)}))
        return
    callers = ["threads", "asyncio", "trio"]
    with tempfile.TemporaryDirectory() as folder:
        counts = {caller: run(name, caller, Path(folder)) for caller in callers}
    # No more of them stay than work at a time; the others are about to end.
    while threads_for_hooks() > MAX_THREADS:
        time.sleep(0.01)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
