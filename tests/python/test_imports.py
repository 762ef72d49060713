"""Importing the package is cheap: what a program does not use is not imported."""

from __future__ import annotations

import json
import subprocess
import sys

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


def test_a_client_imports_what_it_uses() -> None:
    assert not imported(f"{NAMES}; HookClient().close()") & HEAVY
    dispatch = "HookClient().dispatch_sync('PreToolUse', tool='Bash', args={}).blocked"
    assert not imported(f"{NAMES}; {dispatch}") & {"asyncio", "dataclasses", "datetime", "inspect", "pathlib"}


def test_every_name_is_found_when_it_is_asked_for() -> None:
    program = "import hookweave, json; print(json.dumps([hasattr(hookweave, name) for name in hookweave.__all__]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert len(found) > 130 and all(found)
    assert set(hookweave.__all__) <= set(dir(hookweave))
    assert hookweave.errors.InvalidHookError is hookweave.InvalidHookError
    with pytest.raises(AttributeError, match="no attribute 'HookCleint'"):
        _ = hookweave.HookCleint  # type: ignore[attr-defined]
