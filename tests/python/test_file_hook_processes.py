"""Hooks from files around a process's life: exits and forks."""

from __future__ import annotations

import concurrent.futures
import os
import sys
from pathlib import Path

import pytest

from hook_files import hooks_file
from support import ALL
from test_processes import run

EXIT = """
import asyncio
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.load({file!r})
async def main():
    outcome = await client.dispatch("Stop")
    assert [entry.failure for entry in outcome.trace] == [None] * 3, outcome.trace
    {then}
asyncio.run(main())
"""

THEN = (
    "pass",
    "asyncio.get_running_loop().create_task(client.dispatch('PreCompact'))",
    "asyncio.get_running_loop().create_task(client.dispatch('PreCompact')); await asyncio.sleep(0.005)",
    "import os; os._exit(0) if client.closed else None",
)


def test_exit_right_after_a_dispatch_with_commands_never_aborts(tmp_path: Path) -> None:
    file = hooks_file(
        tmp_path,
        *({"event": "Stop", "command": "cat > /dev/null", "name": name} for name in "ab"),
        {"event": "Stop", "command": ["/bin/true"], "name": "c"},
        {"event": "PreCompact", "command": "sleep 600", "name": "long"},
    )
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        programs = [EXIT.format(file=str(file), then=THEN[n % len(THEN)]) for n in range(200 if ALL else 24)]
        results = list(pool.map(run, programs))
    assert [(done.returncode, done.stderr) for done in results if done.returncode != 0 or done.stderr] == []


SEES = """read -r event; path=${event#*'"transcript_path":"'}; path=${path%%'"'*}
test -f "$path" && test -r "$path" && test ! -s "$path" && echo empty >&2; exit 2"""


@pytest.mark.skipif(sys.platform != "linux", reason="caches stand elsewhere")
def test_a_hard_exit_leaves_no_transcripts_behind(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, {"event": "Stop", "command": SEES, "dialect": "claude-code"})
    caches, temporary = tmp_path / "caches", tmp_path / "temporary"
    temporary.mkdir()
    program = f"""
import os
os.environ.update(XDG_CACHE_HOME={str(caches)!r}, TMPDIR={str(temporary)!r})
from hookweave import HookClient
for _ in range(2):
    client = HookClient(default_timeout=600)
    client.load({str(file)!r})
    outcome = client.dispatch_sync("Stop")
    assert outcome.reason == "empty", outcome
os._exit(3)
"""
    results = [run(program), run(program)]
    assert [(done.returncode, done.stderr) for done in results] == [(3, ""), (3, "")]
    assert list(temporary.iterdir()) == []
    assert [path.name for path in (caches / "hookweave").iterdir()] == ["empty-transcript.jsonl"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_runs_commands_on(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, {"event": "Stop", "command": "echo no >&2; exit 2", "dialect": "claude-code"})
    done = run(
        f"""
import asyncio, os
import trio
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.load({str(file)!r})
async def one():
    return await client.dispatch("Stop")
def use():
    assert client.dispatch_sync("Stop").reason == "no"
    assert asyncio.run(one()).reason == "no"
    assert trio.run(one).reason == "no"
use()
child = os.fork()
if child == 0:
    use()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
use()
"""
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forking_while_eight_threads_run_commands(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, {"event": "Stop", "command": "exit 2", "dialect": "claude-code"})
    done = run(
        f"""
import asyncio, os, signal, threading, warnings
from hookweave import HookClient
warnings.simplefilter("ignore", DeprecationWarning)
client = HookClient(default_timeout=600)
client.load({str(file)!r})
stop = threading.Event()
failed = []
async def often():
    while not stop.is_set():
        outcome = await client.dispatch("Stop")
        if not outcome.blocked:
            failed.append(outcome.to_dict())
def work(number):
    if number % 2:
        asyncio.run(often())
    while not stop.is_set():
        outcome = client.dispatch_sync("Stop")
        if not outcome.blocked:
            failed.append(outcome.to_dict())
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
codes = []
for _ in range(15):
    child = os.fork()
    if child == 0:
        signal.alarm(500)
        for _ in range(3):
            assert client.dispatch_sync("Stop").blocked
            async def one():
                return await client.dispatch("Stop")
            assert asyncio.run(one()).blocked
        os._exit(7)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads:
    thread.join()
assert codes == [7] * 15, codes
assert not failed, failed[0]
""",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_drops_a_waiting_dispatch_leaves_its_parent_alone(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, {"event": "Stop", "command": "sleep 0.7; exit 2", "dialect": "claude-code"})
    done = run(
        f"""
import asyncio, gc, os, signal
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.load({str(file)!r})
async def main():
    signal.alarm(500)
    task = asyncio.create_task(client.dispatch("Stop"))
    await asyncio.sleep(0.2)
    child = os.fork()
    if child == 0:
        task.get_coro().close()
        del task
        gc.collect()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    outcome = await task
    assert outcome.blocked, outcome.to_dict()
asyncio.run(main())
"""
    )
    assert done.returncode == 0, done.stderr


def test_loading_starts_no_thread_and_closing_leaves_none(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, {"event": "Stop", "command": "true"})
    done = run(
        f"""
import os, sys
import hookweave
client = hookweave.HookClient(default_timeout=600)
client.load({str(file)!r})
assert len(os.listdir("/proc/self/task")) == 1 if sys.platform == "linux" else True
client.dispatch_sync("Stop")
client.close()
"""
    )
    assert done.returncode == 0, done.stderr
