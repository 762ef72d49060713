"""The benchmark programs, and how they are built and started."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from bars import (
    AGENT_HOOKS,
    AMPLIFIER,
    AUDIT,
    CALLS,
    COMMANDS,
    IMPORTS,
    NODE_LARGE,
    RELAY,
    RUST_COMMANDS,
    RUST_LARGE,
    SDK,
    SESSIONS,
    TOOL_CALLS,
)
from peers import BENCH, NODE24, NODE24_FOLDER, NODE_FOLDER, PYTHON, ROOT, WORK, call, install_peers

RUST_PROGRAM = "hookweave-bench"
# What a program of a user's is built with, unlike the packages.
RUST_PROFILE = "program"
# A settings file with so many hooks, each with a script of its own.
FIFTY = WORK / "fifty"
# A project with a real policy, for `hookweave hook`.
POLICY = WORK / "policy"
POLICIES = ("destruction", "secrets", "publishing", "context")


def install() -> None:
    """Builds hookweave for release and installs it with its peers, apart from everything else."""
    WORK.mkdir(parents=True, exist_ok=True)
    wheels = WORK / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    maturin = [sys.executable, "-m", "maturin", "build", "--release", "--quiet", "--out", str(wheels)]
    call([*maturin, "--manifest-path", str(ROOT / "bindings-python" / "Cargo.toml"), "--interpreter", sys.executable])
    install_peers(next(wheels.glob("*.whl")))
    write_fifty()
    call(["cargo", "build", "--profile", RUST_PROFILE, "--quiet", "-p", RUST_PROGRAM])
    # As the packages carry it.
    call(["cargo", "build", "--release", "--quiet", "--package", "hookweave-cli"])
    write_policy()


def write_policy() -> None:
    """Has the command write every policy that it knows, and approve of them, in a project of its own."""
    shutil.rmtree(POLICY, ignore_errors=True)
    (POLICY / ".git").mkdir(parents=True)
    policies = [word for name in POLICIES for word in ("--policy", name)]
    call([str(command()), "init", "--yes", "-C", str(POLICY), *policies])
    call([str(command()), "trust", "approve", "--yes", "-C", str(POLICY), "--trust-store", str(POLICY / "trust.json")])


def command() -> Path:
    """The `hookweave` command as the packages carry it."""
    return target() / "release" / "hookweave"


def target() -> Path:
    """Where cargo puts what it builds."""
    root = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return root / os.environ.get("CARGO_BUILD_TARGET", "")


def write_fifty() -> None:
    """Writes a settings file of fifty hooks and their scripts."""
    hooks = FIFTY / ".claude" / "hooks"
    hooks.mkdir(parents=True, exist_ok=True)
    groups = []
    for number in range(50):
        script = hooks / f"guard-{number}.sh"
        script.write_text((BENCH / "hooks" / "guard.sh").read_text(encoding="utf-8"), encoding="utf-8")
        script.chmod(0o755)
        command = f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{script.name}'
        groups.append({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]})
    settings = json.dumps({"hooks": {"PreToolUse": groups}}, indent=2)
    (FIFTY / ".claude" / "settings.json").write_text(settings, encoding="utf-8")


def commands() -> dict[str, list[str]]:
    """How every program is started."""
    in_both = (CALLS, "payload", "matching", SESSIONS, AUDIT, COMMANDS, IMPORTS)
    in_python = (*in_both, TOOL_CALLS, AMPLIFIER, SDK, AGENT_HOOKS, RELAY)
    found = {f"python/{name}": [str(PYTHON), str(BENCH / "python" / f"{name}.py")] for name in in_python}
    found |= {f"node/{name}": [os.environ.get("NODE", "node"), str(NODE_FOLDER / f"{name}.mjs")] for name in in_both}
    program = str(target() / RUST_PROFILE / RUST_PROGRAM)
    return found | {
        f"node/{NODE_LARGE}": [*found[f"node/{COMMANDS}"], "large"],
        f"node/{RELAY}": [str(NODE24), str(NODE24_FOLDER / f"{RELAY}.mjs")],
        "rust": [program],
        RUST_COMMANDS: [program, "commands", str(command())],
        RUST_LARGE: [program, "commands", "large"],
    }
