"""Importing the package is cheap: what a program does not use is not imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import hookweave
import pytest

# What takes milliseconds: each of them, or what it imports.
HEAVY = {
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "datetime",
    "inspect",
    "json",
    "logging",
    "pathlib",
    "queue",
    "selectors",
    "threading",
    "uuid",
}
NAMES = "from hookweave import HookClient, HookResponse, PreToolUseEvent"


def imported(program: str) -> set[str]:
    """What a program imports beyond what a fresh interpreter has imported."""
    text = f"import sys; before = set(sys.modules)\n{program}\nprint(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-S", "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(autouse=True)
def found_without_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the site module nothing is installed, and nothing of it was imported."""
    monkeypatch.setenv("PYTHONPATH", hookweave.__path__[0].removesuffix("hookweave"))


def test_importing_the_package_imports_nothing_else() -> None:
    own = {"hookweave", "hookweave._exports", "hookweave._native"}
    found = imported("import hookweave")
    assert {name for name in found if name.startswith("hookweave")} == own
    assert not found & (HEAVY | {"enum", "re", "typing"})


def test_importing_the_client_s_class_imports_nothing_heavy() -> None:
    assert not imported(NAMES) & HEAVY


# A program that works with a client in all the ways there are, and prints what it imports meanwhile.
WORK = """
import asyncio, collections, json, pathlib, sys, trio
import hookweave
from hookweave import HookClient, HookResponse

client = HookClient(default_timeout=None, mode="parallel")
before = set(sys.modules)

class Odd(BaseException):
    pass
def fail(event):
    raise Odd
async def wait(event):
    await (asyncio.sleep(0) if asyncio._get_running_loop() else trio.sleep(0))
async def answer(request):
    return {"text": "done"}
client.register_hook("Stop", fail)
client.register_hook("Stop", lambda event: HookResponse.block(event.metadata["name"]["first"]))
client.register_hook("Stop", lambda event: None, detached=True)
client.register_hook("Stop", lambda event: None, run_in_thread=True)
for _ in range(2):
    client.register_hook("PreToolUse", wait, timeout=600)
folder = pathlib.Path(sys.argv[1])
settings = folder / "settings.json"
hooks = [{"type": "command", "command": "true"}]
settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}))
client.load(settings, dialect="claude-code")
client.lint(settings, dialect="claude-code")
client.configure_audit({"file": folder / "log", "callback": print})

outcome = client.dispatch_sync("Stop", {"cwd": folder, "metadata": {"name": collections.OrderedDict(first="no")}})
str(outcome), outcome.describe(), outcome.trace, outcome.unmatched, outcome.to_dict(), outcome.to_wire("claude-code")
client.explain("Stop"), client.list_hooks(), client.stats(), client.trust, client.reload_sync(), client.audit_file
with client.temporary_hook("Stop", print):
    pass

async def work():
    await client.dispatch("Stop")
    await client.dispatch("PreToolUse", tool="Bash", args={"command": "ls"})
    session = client.session(approval="allow")
    await session.run_tool("Bash", {"command": "ls"}, lambda args: "done")
    await client.generate("other", "hello")
    client.watch()
    client.unwatch()
    await client.drain()
client.register_model(answer)
asyncio.run(work())
trio.run(work)
client.close()
for name in hookweave.__all__:
    getattr(hookweave, name)
print("modules:", *sorted(name for name in set(sys.modules) - before if name.startswith("hookweave") or name in HEAVY))
"""


def test_nothing_more_is_imported_once_there_is_a_client(tmp_path: Path) -> None:
    program = WORK.replace("HEAVY", repr(HEAVY))
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "modules:"


def test_every_name_is_found_when_it_is_asked_for() -> None:
    program = "import hookweave, json; print(json.dumps([hasattr(hookweave, name) for name in hookweave.__all__]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert len(found) > 130 and all(found)
    assert set(hookweave.__all__) <= set(dir(hookweave))
    assert hookweave.errors.InvalidHookError is hookweave.InvalidHookError
    with pytest.raises(AttributeError, match="no attribute 'HookCleint'"):
        _ = hookweave.HookCleint  # type: ignore[attr-defined]
