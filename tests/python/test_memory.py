"""What clients leave in memory: a program may have one for each request."""

import subprocess
import sys

import pytest

from support import LIMIT

#: Megabytes by which a process may grow in each of several rounds; a client that is not given back holds some ten
#: kilobytes, which makes ten megabytes.
MOST = 2.5

PROGRAM = """
import asyncio, gc, itertools, resource, sys
from hookweave import HookClient, HookResponse

def size():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6

def block(event):
    return HookResponse.block("no")

async def come(clients):
    for _ in range(clients):
        client = HookClient(default_timeout=600)
        client.register_hook("PreToolUse", block, matcher={"tool": "Bash"})
        await client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})
        await client.dispatch("PreToolUse", tool="Read", args={})
        if sys.argv[1] == "closed":
            client.close()

sizes = []
for _ in range(6):
    asyncio.run(come(1000))
    gc.collect()
    sizes.append(size())
print(min(after - before for before, after in itertools.pairwise(sizes[1:])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
@pytest.mark.parametrize("how", ["closed", "dropped"])
def test_clients_that_come_and_go_leave_a_process_as_large_as_it_was(how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, timeout=LIMIT, check=True
    )
    assert float(done.stdout) < MOST, f"the process grew by {done.stdout.strip()} MB in every round"


KEPT = """
from hookweave import HookClient

def size():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1000

def make():
    client = HookClient(default_timeout=600)
    client.register_hook("PreToolUse", lambda event: None, matcher={"tool": "Bash"})
    client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"})
    return client

import itertools, resource
kept, sizes = [], []
for _ in range(5):
    kept += [make() for _ in range(500)]
    sizes.append(size())
print(round(min(after - before for before, after in itertools.pairwise(sizes)) / 500))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
def test_a_client_takes_a_few_kilobytes() -> None:
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, timeout=LIMIT, check=True)
    assert int(done.stdout) < 30, f"a client takes {done.stdout.strip()} kB"
