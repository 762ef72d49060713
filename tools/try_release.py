"""Installs what a release is made of into empty places, as users do, and has each part refuse a call.

    python tools/try_release.py FOLDER VERSION

FOLDER holds wheels and npm packages. Of the wheels the one for this Python and system is tried, of the npm packages
those for this system. Where FOLDER has none for them that is a failure: what cannot be tried is not published.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

LIMIT_SECONDS = 600
CALL = "cd / && rm -rf ."
REASON = "no folder is deleted whole"
PYTHON = f"""
from hookweave import HookClient
client = HookClient()
client.guard("Bash(rm -rf *)", "{REASON}")
outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={{"command": "{CALL}"}})
print(outcome.blocked, outcome.reason)
"""
NODE = f"""
import {{ HookClient }} from "hookweave";
const client = new HookClient();
client.guard("Bash(rm -rf *)", "{REASON}");
const outcome = await client.dispatch("PreToolUse", {{ tool: "Bash", args: {{ command: "{CALL}" }} }});
console.log(outcome.blocked, outcome.reason);
"""
POLICY = f"""hookweave = 1

[[hooks]]
name = "whole-folders"
event = "PreToolUse"
matcher = {{ rule = "Bash(rm -rf *)" }}
block = "{REASON}"
"""


class TrialError(Exception):
    """What did not do what it is for."""


def run(command: Sequence[str | Path], cwd: Path, code: int = 0) -> str:
    """What a program prints that must end with this code, in an environment without paths of the checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NODE_PATH")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**kept, "HOME": str(cwd), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT_SECONDS,
        check=False,
    )
    if done.returncode != code:
        shown = " ".join(str(word) for word in command)
        raise TrialError(f"`{shown}` exited with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(what: str, printed: str, wanted: str) -> None:
    """Compares what was printed."""
    if wanted not in printed:
        raise TrialError(f"{what} printed {printed!r}, not {wanted!r}")
    print(f"{what}: {wanted}", flush=True)


def try_command(command: Sequence[str | Path], place: Path, version: str) -> None:
    """The command says its version and refuses a call by a file's hook."""
    expect("the command", run([*command, "--version"], place), f"hookweave {version}")
    (place / "hookweave.toml").write_text(POLICY, encoding="utf-8")
    expect("its policy", run([*command, "try", "--trust", "all", CALL], place, code=1), REASON)


def try_wheel(folder: Path, place: Path, version: str) -> None:
    """The wheel for this Python, in an environment that has nothing else."""
    environment = place / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--only-binary", ":all:"]
    run([scripts / "python", *install, "--find-links", folder.resolve(), f"hookweave=={version}"], place)
    expect("the wheel", run([scripts / "python", "-c", PYTHON], place), f"True {REASON}")
    try_command([scripts / "hookweave"], place, version)


def try_packages(folder: Path, place: Path, version: str) -> None:
    """The npm packages for this system, in a project that has nothing else."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise TrialError("npm and node are not on the PATH: install Node")
    asked = "console.log((await import(process.argv[1])).platformName())"
    platform = Path(__file__).resolve().parent.parent / "bindings-node" / "bin" / "platform.mjs"
    name = run([node, "--input-type=module", "-e", asked, platform.as_uri()], place).strip()
    tarballs = [folder.resolve() / f"{stem}-{version}.tgz" for stem in (f"hookweave-native-{name}", "hookweave")]
    if missing := [path.name for path in tarballs if not path.is_file()]:
        raise TrialError(f"{folder} lacks {', '.join(missing)}")
    (place / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    run([npm, "install", "--offline", "--no-audit", "--no-fund", "--omit=optional", *tarballs], place)
    (place / "main.mjs").write_text(NODE, encoding="utf-8")
    expect("the npm package", run([node, "main.mjs"], place), f"true {REASON}")
    # As `npx` does, which on Windows is a script of the shell.
    try_command([node, place / "node_modules" / "hookweave" / "bin" / "hookweave.mjs"], place, version)


def main() -> int:
    """Tries both; the first thing that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the wheels and the npm packages are")
    parser.add_argument("version", help="the version that they must have")
    parser.add_argument("--only", choices=["wheel", "npm"], help="one of the two")
    arguments = parser.parse_args()
    trials: dict[str, Callable[[Path, Path, str], None]] = {"wheel": try_wheel, "npm": try_packages}
    for name in [arguments.only] if arguments.only else trials:
        with tempfile.TemporaryDirectory() as place:
            try:
                trials[name](arguments.folder, Path(place), arguments.version)
            except TrialError as why:
                print(f"try_release: {why}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
