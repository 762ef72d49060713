"""The wheel installs into an empty environment and runs there without Rust."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import asyncio, hookweave
from hookweave import HookClient, HookResponse
client = HookClient(default_timeout=600)
@client.hook("PreToolUse", matcher={"tool": "Bash"})
async def guard(event):
    await asyncio.sleep(0)
    return HookResponse.block(event.args["command"])
async def main():
    return await client.dispatch("PreToolUse", tool="Bash", args={"command": "rm"})
print(hookweave.__file__, asyncio.run(main()).reason)
"""


def test_installs_and_runs_without_rust(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "maturin", "build", "--release", "--out", tmp_path, "--interpreter", sys.executable]
    done = subprocess.run(build, cwd=ROOT / "bindings-python", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("hookweave-*.whl")
    names = ZipFile(wheel).namelist()
    assert "hookweave_pytest/__init__.py" in names
    licences = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"}
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    clean["PATH"] = str(python.parent)
    install = [python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel]
    done = subprocess.run(install, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([python, "-c", PROGRAM], env=clean, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    where, reason = ran.stdout.split()
    assert Path(where).is_relative_to(tmp_path) and reason == "rm"
