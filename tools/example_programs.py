"""Builds the programs of the examples and says how each is started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from typescript import compile_project, link_packages

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
TYPESCRIPT_OUT = ROOT / "target" / "examples"


def build_typescript() -> str | None:
    """Compiles the TypeScript programs of all examples; says what is wrong when one does not compile."""
    link_packages(TYPESCRIPT_OUT)
    compiled = compile_project(EXAMPLES / "tsconfig.json")
    if compiled.returncode == 0:
        return None
    return f"the TypeScript programs do not compile:\n{compiled.stdout}{compiled.stderr}"


def build_rust(names: Iterable[str], quiet: bool) -> str | None:
    """Compiles the Rust programs of the named examples; says so when one does not compile."""
    programs = [part for name in names for part in ("--bin", name)]
    if not programs:
        return None
    command = ["cargo", "build", "--release", "-p", "hookweave-examples", *programs]
    built = subprocess.run([*command, *(["--quiet"] if quiet else [])], cwd=ROOT, check=False)
    return "the Rust programs do not compile" if built.returncode != 0 else None


def commands(name: str) -> dict[str, list[str]]:
    """How the programs of an example are started, by language."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return {
        "Python": [sys.executable, str(EXAMPLES / name / "main.py")],
        "Node": [os.environ.get("NODE", "node"), str(TYPESCRIPT_OUT / name / "main.js")],
        "Rust": [str(target / os.environ.get("CARGO_BUILD_TARGET", "") / "release" / name)],
    }
