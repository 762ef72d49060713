"""Commands and watches in a process whose surroundings are against them, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hook_files import hooks_file
from support import LIMIT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

GUARD = {"name": "guard", "event": "PreToolUse", "command": "sleep 0.05; exit 2", "dialect": "claude-code"}

START = """
import asyncio, resource, signal, sys, threading, os
from hookweave import ConfigError, HookClient
client = HookClient(default_timeout=600)
client.load(sys.argv[1])
def dispatch():
    return client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"})
"""


def run(program: str, file: Path) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", START + program, str(file)], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_exit_codes_are_known_where_sigchld_is_ignored(tmp_path: Path) -> None:
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print([dispatch().decision for _ in range(5)])
"""
    assert run(program, hooks_file(tmp_path, GUARD)) == str(["block"] * 5)


def test_a_command_that_another_thread_waits_for_never_passes(tmp_path: Path) -> None:
    program = """
def reap():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            pass
threading.Thread(target=reap, daemon=True).start()
outcomes = [dispatch() for _ in range(10)]
kinds = {outcome.trace[0].failure.kind for outcome in outcomes if outcome.trace[0].failure}
print({outcome.decision for outcome in outcomes}, kinds <= {"lost"})
os._exit(0) if sys.stdout.flush() is None else None
"""
    assert run(program, hooks_file(tmp_path, GUARD)) == "{'block'} True"


def test_commands_wait_for_descriptors(tmp_path: Path) -> None:
    program = """
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
async def main():
    call = lambda: client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})
    return await asyncio.gather(*(call() for _ in range(40)))
print({outcome.decision for outcome in asyncio.run(main())})
"""
    assert run(program, hooks_file(tmp_path, GUARD)) == "{'block'}"


def test_a_watch_without_a_thread_is_an_error(tmp_path: Path) -> None:
    program = """
kib = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize:"))
resource.setrlimit(resource.RLIMIT_AS, (kib * 1024 + 1_000_000, resource.RLIM_INFINITY))
async def main():
    try:
        client.watch()
    except ConfigError as error:
        return "cannot be watched" in str(error)
said = asyncio.run(main())
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(said, dispatch().decision)
"""
    assert run(program, hooks_file(tmp_path, GUARD)) == "True block"
