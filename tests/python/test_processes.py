"""Forking, exiting, sub-interpreters: what happens around an interpreter's life."""

from __future__ import annotations

import ast
import concurrent.futures
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path

import pytest

EXIT = """
import asyncio, sys
from hookweave import HookClient
client = HookClient()
@client.hook("Stop")
async def handler(event):
    await asyncio.sleep(0)
@client.hook("Stop", detached=True)
async def later(event):
    await asyncio.sleep(int(sys.argv[1]) % 2 / 1000)
async def main():
    await client.dispatch("Stop")
asyncio.run(main())
"""


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def run(program: str, *arguments: str, timeout: float = 180) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def run_often(times: int, program: str, *arguments: str) -> None:
    """Runs a program so often with `make test-all`, else a fifth as often, two at a time."""
    times = times if os.environ.get("HOOKWEAVE_TEST_ALL") == "1" else times // 5
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda number: run(program, *arguments, str(number)), range(times)))
    assert [(done.returncode, done.stderr) for done in results if done.returncode != 0] == []


def test_exit_right_after_a_dispatch_never_aborts() -> None:
    run_often(200, EXIT)


def test_exit_with_a_dispatch_still_waiting() -> None:
    done = run(
        """
import asyncio
from hookweave import HookClient
client = HookClient(default_timeout=None)
waiting = asyncio.Event()
@client.hook("Stop")
async def handler(event):
    waiting.set()
    await asyncio.Event().wait()
async def main():
    global task
    task = asyncio.create_task(client.dispatch("Stop"))
    await waiting.wait()
loop = asyncio.new_event_loop()
loop.run_until_complete(main())
"""
    )
    assert done.returncode == 0, done.stderr


AT_WORK = """
import asyncio, sys, threading, time
from hookweave import HookClient, HookResponse

client = HookClient(default_timeout=None, audit={"callback": lambda record: None})
payload = {"tool": "Bash", "args": {"command": "ls"}}

@client.hook("PreToolUse")
def sync(event):
    time.sleep(0.0005)
    return HookResponse.continue_(message=event.args["command"])

@client.hook("PostToolUse")
async def later(event):
    await asyncio.sleep(0)
    return {"message": "x"}

@client.hook("Stop", run_in_thread=True)
def apart(event):
    time.sleep(0.0005)

at_work = threading.Barrier(5)

def forever(call):
    call()
    at_work.wait()
    while True:
        call()
def await_forever(make):
    async def main():
        call = make()
        await call()
        at_work.wait()
        while True:
            await call()
    asyncio.run(main())
def sessions():
    session = client.session()
    return lambda: session.run_tool("Bash", {"command": "ls"}, lambda args: "done")

work = {
    "sync": lambda: forever(lambda: client.dispatch_sync("PreToolUse", payload)),
    "thread": lambda: forever(lambda: client.dispatch_sync("Stop")),
    "async": lambda: await_forever(lambda: lambda: client.dispatch("PostToolUse", tool="Bash", args={}, result="x")),
    "session": lambda: await_forever(sessions),
}[sys.argv[1]]
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
at_work.wait()
"""


@pytest.mark.parametrize("work", ["sync", "thread", "async", "session"])
def test_exit_while_daemon_threads_dispatch_never_aborts(work: str) -> None:
    run_often(20, AT_WORK, work)


@needs_fork
def test_a_forked_child_goes_on() -> None:
    done = run(
        """
import asyncio, os, threading
from hookweave import HookClient, HookResponse
client = HookClient(default_timeout=None)
client.register_hook("Stop", lambda event: HookResponse.block("sync"))
client.register_hook("PreToolUse", lambda event: HookResponse.block("thread"), run_in_thread=True)
@client.hook("PermissionRequest", timeout=0.05)
async def slow(event):
    await asyncio.Event().wait()
async def one(name):
    return await client.dispatch(name, tool="Bash")
def use():
    assert client.dispatch_sync("Stop").reason == "sync"
    assert asyncio.run(one("PreToolUse")).reason == "thread"
    assert asyncio.run(one("PermissionRequest")).trace[0].failure.kind == "timeout"
use()
child = os.fork()
if child == 0:
    use()
    client.register_hook("Stop", lambda event: None)
    assert len(client.list_hooks()) == 4
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
use()
"""
    )
    assert done.returncode == 0, done.stderr


@needs_fork
def test_forking_while_eight_threads_dispatch() -> None:
    done = run(
        """
import os, threading, warnings
from hookweave import HookClient, HookResponse
warnings.simplefilter("ignore", DeprecationWarning)
client = HookClient(default_timeout=None, max_hooks_per_event=None, max_total_hooks=None)
client.register_hook("Stop", lambda event: HookResponse.block(event.session_id))
stop = threading.Event()
def work():
    while not stop.is_set():
        client.dispatch_sync("Stop", session_id="s")
        client.unregister_hook(client.register_hook("PreToolUse", print))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
codes = []
for _ in range(FORKS):
    child = os.fork()
    if child == 0:
        for _ in range(20):
            assert client.dispatch_sync("Stop", session_id="c").reason == "c"
            client.register_hook("SessionEnd", print)
        os._exit(7)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads:
    thread.join()
assert codes == [7] * FORKS, codes
""".replace("FORKS", "30" if os.environ.get("HOOKWEAVE_TEST_ALL") == "1" else "10")
    )
    assert done.returncode == 0, done.stderr


@needs_fork
def test_a_forked_child_has_none_of_its_parent_s_detached_hooks() -> None:
    done = run(
        """
import asyncio, os
from hookweave import HookClient
client = HookClient(default_timeout=None, max_detached=1)
ran = []
may_run = asyncio.Event()
@client.hook("Stop", detached=True)
async def later(event):
    await may_run.wait()
    ran.append(os.getpid())
async def main():
    await client.dispatch("Stop")
    child = os.fork()
    return child
child = asyncio.new_event_loop().run_until_complete(main())
if child == 0:
    async def again():
        assert await client.drain(0)
        await client.dispatch("Stop")
        may_run.set()
        assert await client.drain()
        assert ran == [os.getpid()], ran
    asyncio.run(again())
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    )
    assert done.returncode == 0, done.stderr


# A process that hangs says where, and ends.
ENDS = """
import faulthandler, signal

def end_in_minutes():
    if hasattr(signal, "alarm"):
        faulthandler.register(signal.SIGALRM, chain=True)
        signal.alarm(120)
end_in_minutes()
"""
# A thread stops where it begins to run a module of the package, and holds the lock of that module.
STOP = (
    ENDS
    + """
import os, sys, threading
from hookweave import HookClient

class Stop:
    process = os.getpid()
    reached = threading.Event()
    go_on = threading.Event()
    def here(self):
        if os.getpid() == self.process and threading.current_thread() is not threading.main_thread():
            self.reached.set()
            self.go_on.wait()
    def at_module(self, what, args):
        if what == "exec" and "/hookweave/" in args[0].co_filename.replace(os.sep, "/"):
            self.here()
    def in_a_thread(self, use):
        def run():
            use()
            self.reached.set()
        threading.Thread(target=run, daemon=True).start()
        self.reached.wait()
stop = Stop()

def ends_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
def in_child(use):
    end_in_minutes()
    use()
    os._exit(0)
"""
)


@needs_fork
def test_forking_where_logging_was_imported_after_the_package() -> None:
    done = run(
        STOP
        + """
client = HookClient()
sys.addaudithook(stop.at_module)
stop.in_a_thread(lambda: client.dispatch_sync("Stop"))
# The hooks of a fork run from the last to the first: logging takes its lock, then the thread goes on and may want it.
os.register_at_fork(before=stop.go_on.set)
import logging
child = os.fork()
if child == 0:
    in_child(lambda: client.dispatch_sync("Stop"))
assert ends_well(child)
"""
    )
    assert done.returncode == 0, done.stderr


@needs_fork
def test_a_forked_child_waits_for_nothing_that_a_thread_of_its_parent_looks_up() -> None:
    done = run(
        STOP
        + """
import hookweave._control_flow as module

class Slow:
    def __getattr__(self, name):
        if not name.startswith("__"):
            stop.here()
        return getattr(module, name)

class Odd(BaseException):
    pass
def fail(event):
    raise Odd
def use():
    assert client.dispatch_sync("Stop").trace[0].failure.kind == "raised"
client = HookClient(default_timeout=None)
client.register_hook("Stop", fail)
sys.modules["hookweave._control_flow"] = Slow()
stop.in_a_thread(use)
child = os.fork()
if child == 0:
    in_child(use)
assert ends_well(child)
"""
    )
    assert done.returncode == 0, done.stderr


PARENT = """
import asyncio

def refuse(event):
    raise ValueError("no")
async def wait(event):
    await asyncio.sleep(0)
client = HookClient(default_timeout=None, mode="parallel")
client.register_hook("Stop", refuse)
client.register_hook("SessionEnd", lambda event: None, run_in_thread=True)
client.register_hook("Notification", wait)
client.register_hook("Notification", wait)
client.register_hook("SubagentStop", lambda event: None, detached=True)

async def stage():
    await client.dispatch("Notification", message="x")
async def session():
    await client.session().run_tool("Bash", {"command": "ls"}, lambda args: "done")
uses = {
    "failure": lambda: client.dispatch_sync("Stop").trace,
    "thread": lambda: client.dispatch_sync("SessionEnd"),
    "stage": lambda: asyncio.run(stage()),
    "detached": lambda: client.dispatch_sync("SubagentStop"),
    "session": lambda: asyncio.run(session()),
}
use = uses[os.environ["USE"]]
def use_in_child():
    in_child(use)
sys.addaudithook(stop.at_module)
stop.in_a_thread(use)
"""
# The server of `forkserver` has the thread as well, and every child of `spawn` a thread of its own.
PROGRAM = """
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_forkserver_preload(["parent"])
    import parent
    child = multiprocessing.get_context(sys.argv[1]).Process(target=parent.use_in_child)
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""


@pytest.mark.parametrize("use", ["failure", "thread", "stage", "detached", "session"])
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_child_process_waits_for_no_import_of_a_thread(
    use: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "parent.py").write_text(STOP + PARENT, encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("USE", use)
    command = [sys.executable, str(program), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr


ENDING = """
import os, sys, threading, time
from hookweave import HookClient

def import_for_ever(what, args):
    if what == "exec" and "/hookweave/" in args[0].co_filename.replace(os.sep, "/"):
        begun.set()
        while True:
            time.sleep(0)
begun = threading.Event()
def new_client():
    client = HookClient(default_timeout=None)
    client.register_hook("Stop", lambda event: None, detached=True)
    client.dispatch_sync("SessionEnd")
    return client
# The first client imports the whole package, here or in the thread.
client = None if sys.argv[1] == "first" else new_client()
# Where it has to be imported after all, though that never is with a client.
if sys.argv[1] == "gone":
    sys.modules.pop("hookweave._detached", None)
sys.addaudithook(import_for_ever)
def work():
    used = client or new_client()
    while True:
        used.dispatch_sync("Stop")
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


@pytest.mark.parametrize("module", ["there", "gone", "first"])
def test_exit_while_a_daemon_thread_dispatches_for_the_first_time_never_aborts(module: str) -> None:
    run_often(20, ENDING, module)


def test_a_sub_interpreter_is_refused() -> None:
    done = run(
        """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import sys
import hookweave
code = '''
import sys
sys.path[:] = %r
try:
    import hookweave
except ImportError as error:
    answer = f"{type(error).__name__}: {error}"
else:
    answer = "imported"
open(%r, "w").write(answer)
'''
import tempfile
path = tempfile.mktemp()
one = interpreters.create()
interpreters.run_string(one, code % (sys.path, path))
print(open(path).read())
"""
    )
    assert done.returncode == 0, done.stderr
    assert "ImportError" in done.stdout or "UnsupportedInterpreterError" in done.stdout
    assert "interpreter" in done.stdout


def test_importing_starts_no_thread_and_no_loop() -> None:
    done = run(
        """
import sys, threading
before = threading.active_count()
import hookweave
client = hookweave.HookClient()
client.register_hook("Stop", lambda event: None)
client.dispatch_sync("Stop")
assert threading.active_count() == before
assert "trio" not in sys.modules
tasks = len(__import__("os").listdir("/proc/self/task")) if sys.platform == "linux" else 1
assert tasks == 1, tasks
"""
    )
    assert done.returncode == 0, done.stderr


def test_the_package_is_typed_and_its_native_half_has_nothing_that_nobody_uses() -> None:
    import hookweave

    folder = Path(hookweave.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_native.pyi").read_text(encoding="utf-8"))
    # What users call stands in the tests, everything else in the package.
    places = [*folder.rglob("*.py"), *Path(__file__).parent.rglob("*.py")]
    words = {word for place in places for word in re.findall(r"\w+", place.read_text(encoding="utf-8"))}
    declared = {
        node.name
        for node in ast.walk(stub)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__")
    }
    given_on = {node.id for node in ast.walk(stub) if isinstance(node, ast.Name)}
    asked_for_by_loops = {*dir(Coroutine)}
    assert len(declared) > 100 and sorted(declared - words - given_on - asked_for_by_loops) == []
