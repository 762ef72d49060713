"""How hooks from files end: cancelled, out of time, interrupted; many at once; and what is left of them."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from hookweave import HookClient, Outcome

from hook_files import alive, hooks_file, settings
from support import LIMIT, new_client, until
from test_loops import on_asyncio, on_trio, on_uvloop

TREE = "sleep 600 & echo $! > {folder}/child; echo $$ > {folder}/leader; wait"
"""A command with a child of its own, both of which say who they are."""


def started(folder: Path) -> bool:
    return all((folder / name).exists() and (folder / name).read_text().strip() for name in ("leader", "child"))


def pids(folder: Path) -> list[int]:
    """The processes of the command, once it has started them."""
    until(lambda: started(folder))
    return [int((folder / name).read_text()) for name in ("leader", "child")]


def killed(processes: list[int]) -> None:
    until(lambda: not any(alive(process) for process in processes))


def tree(folder: Path, **more: Any) -> HookClient:
    client = new_client()
    client.load(hooks_file(folder, {"event": "Stop", "command": TREE.format(folder=folder), **more}))
    return client


@pytest.mark.parametrize("run", [on_asyncio, on_uvloop, on_trio, None])
def test_out_of_time_the_whole_group_is_killed(run: Callable[..., Any] | None, tmp_path: Path) -> None:
    # A slow machine has the command killed before it has started its child.
    for seconds in (0.3, 3, 30, LIMIT):
        client = tree(tmp_path, timeout=seconds)

        async def main(client: HookClient = client) -> Outcome[Any]:
            return await client.dispatch("Stop")

        outcome = client.dispatch_sync("Stop") if run is None else run(main)
        failure = outcome.trace[0].failure
        assert failure is not None and failure.kind == "timeout"
        if started(tmp_path):
            break
    killed(pids(tmp_path))


@pytest.mark.parametrize("run", [on_asyncio, on_uvloop])
def test_a_cancelled_task_kills_the_whole_group(run: Callable[..., Any], tmp_path: Path) -> None:
    client = tree(tmp_path)

    async def main() -> list[int]:
        task = asyncio.create_task(client.dispatch("Stop"))
        processes = await asyncio.to_thread(pids, tmp_path)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return processes

    killed(run(main))


def test_a_cancelled_scope_kills_the_whole_group(tmp_path: Path) -> None:
    client = tree(tmp_path)

    async def main() -> list[int]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.dispatch, "Stop")
            processes: list[int] = await trio.to_thread.run_sync(pids, tmp_path)
            nursery.cancel_scope.cancel()
        return processes

    killed(trio.run(main))


def test_a_cancelled_stage_kills_every_group(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    client = new_client()
    client.load(settings(tmp_path, "Stop", *({"command": TREE.format(folder=folder)} for folder in folders)))

    async def main() -> list[int]:
        task = asyncio.create_task(client.dispatch("Stop"))
        processes = [process for folder in folders for process in await asyncio.to_thread(pids, folder)]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return processes

    killed(asyncio.run(main()))


def test_an_abandoned_loop_kills_the_group(tmp_path: Path) -> None:
    client = tree(tmp_path)
    loop = asyncio.new_event_loop()
    tasks: list[asyncio.Task[Any]] = []

    async def main() -> list[int]:
        tasks.append(asyncio.create_task(client.dispatch("Stop")))
        return await asyncio.to_thread(pids, tmp_path)

    processes = loop.run_until_complete(main())
    tasks.pop().cancel()
    loop.run_until_complete(asyncio.sleep(0.05))
    loop.close()
    killed(processes)


def test_ctrl_c_leaves_dispatch_sync_and_kills_the_group(tmp_path: Path) -> None:
    hooks_file(tmp_path, {"event": "Stop", "command": TREE.format(folder=tmp_path)})
    program = f"""
import hookweave, signal
# A shell that runs the tests in the background may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
client = hookweave.HookClient(default_timeout=600)
client.load({str(tmp_path / "hookweave.json")!r})
try:
    client.dispatch_sync("Stop")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    import time
    time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        processes = pids(tmp_path)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None and process.stdout.readline() == "interrupted\n"
        killed(processes)
    finally:
        process.kill()
        process.wait()


def test_two_hundred_dispatches_at_once_lose_and_mistake_nothing(tmp_path: Path) -> None:
    # Each command notes when it runs, so that the number at once can be counted.
    answer = """printf '{"inject": "%s %s"}' """
    read = """read -r body; id=${body#*\\"session_id\\":\\"}; id=${id%%\\"*}; """
    note = "echo $$ > run.$$; ls | grep -c '^run' >> counts; rm run.$$; "
    hooks = [
        {"event": "UserPromptSubmit", "command": f'{read}{note}{answer}{number} "$id"', "timeout": 600}
        for number in range(3)
    ]
    client = new_client(max_running=8, project_dir=tmp_path)
    client.load(hooks_file(tmp_path, *hooks))

    async def main() -> list[Outcome[Any]]:
        return await asyncio.gather(
            *(client.dispatch("UserPromptSubmit", prompt="x", session_id=f"s{number}") for number in range(200))
        )

    outcomes = asyncio.run(main())
    contents = [[injection.content for injection in outcome.injections] for outcome in outcomes]
    assert contents == [[f"{hook} s{number}" for hook in range(3)] for number in range(200)]
    assert max(int(line) for line in (tmp_path / "counts").read_text().split()) <= 8


def leftovers() -> tuple[int, int, list[str]]:
    """Open descriptors, threads and unreaped children of this process."""
    children = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                fields = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == str(os.getpid()):
                children.append(f"{process.name} {fields[0]}")
    own = Path("/proc/self")
    return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir())), children


@pytest.mark.skipif(sys.platform != "linux", reason="counts in /proc")
def test_a_thousand_dispatches_leave_nothing(tmp_path: Path) -> None:
    client = new_client(max_running=4)
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": ["/bin/true"], "name": "true"}))

    async def some(count: int) -> None:
        for _ in range(count // 10):
            outcomes = await asyncio.gather(*(client.dispatch("Stop") for _ in range(10)))
            assert all(outcome.trace[0].failure is None for outcome in outcomes)

    asyncio.run(some(20))
    trio.run(lambda: client.dispatch("Stop"))
    gc.collect()
    descriptors, threads, children = leftovers()
    for _ in range(8):
        asyncio.run(some(100))

    async def on_trio_often() -> None:
        for _ in range(100):
            await client.dispatch("Stop")

    trio.run(on_trio_often)
    for _ in range(100):
        client.dispatch_sync("Stop")
    gc.collect()

    def settled() -> bool:
        now = leftovers()
        return now[0] <= descriptors + 2 and now[1] <= threads + 2 and now[2] == children

    until(settled, lambda: (leftovers(), descriptors, threads, children))


def test_file_hooks_keep_no_thread_waiting_for_the_interpreter(tmp_path: Path) -> None:
    client = new_client()
    command = f"touch {tmp_path}/begun; until test -e {tmp_path}/go; do sleep 0.01; done"
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": command, "timeout": LIMIT}))

    def go() -> None:
        until((tmp_path / "begun").exists)
        for _ in range(6):
            time.sleep(0.01)
        (tmp_path / "go").touch()

    thread = threading.Thread(target=go)
    thread.start()
    assert client.dispatch_sync("Stop").trace[0].failure is None
    thread.join()
