"""Runs every linter and type checker, all of them even when one complains, and lists what failed."""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import rust_api
from child import start

ROOT = Path(__file__).resolve().parent.parent
PYTHON_PACKAGE = ROOT / "bindings-python"
NODE_PACKAGE = ROOT / "bindings-node"
# Written by the build and committed, so that a reader sees them and a change of them shows in a diff.
GENERATED = ["bindings-node/native/native.d.ts", "bindings-node/ts/events.ts", "Cargo.lock"]
# Crates whose modules do not use each other in a cycle.
ACYCLIC = [
    "core/src",
    *(f"core/{path.parent.name}/src" for path in ROOT.glob("core/*/src")),
    "bindings-node/src",
    "bindings-python/src",
    "cli/src",
]
# Checked where their standard library is installed (`rustup target add …`).
OTHER_TARGETS = ["aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"]
PURE_TARGET = "wasm32-unknown-unknown"


@dataclass(frozen=True)
class Step:
    """One check; with a reason to skip it is only reported."""

    name: str
    command: Sequence[str] = ()
    cwd: Path = ROOT
    skip: str | None = None


def installed_targets() -> set[str]:
    """The targets whose standard library this toolchain has."""
    root = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    return {path.parent.name for path in (Path(root) / "lib" / "rustlib").glob("*/lib")}


def rust_steps() -> list[Step]:
    """Layout, lints, the public API, the machine without its drivers, other systems as far as they can be checked."""
    check = ["cargo", "check", "--quiet"]
    steps = [
        Step("rustfmt", ["cargo", "fmt", "--all", "--check"]),
        Step("rustfmt, tools/rust-api", ["cargo", "fmt", "--check"], cwd=ROOT / "tools" / "rust-api"),
        Step("rustfmt, fuzz", ["cargo", "fmt", "--check"], cwd=ROOT / "fuzz"),
        Step("clippy", ["cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
        Step("cycles of modules", [sys.executable, "tools/module_cycles.py", *ACYCLIC]),
        Step("order of crates", [sys.executable, "tools/crate_order.py"]),
        Step("number of crates", [sys.executable, "tools/dependencies.py"]),
        Step("Rust, public API", [sys.executable, "tools/rust_api.py", "--check"], skip=rust_api.other_format()),
    ]
    present = installed_targets()
    # The crates without IO anywhere; on other systems those without TLS, whose parts in C need a compiler of their own.
    pure = [*check, *(f"-phookweave-{name}" for name in ("command", "machine", "dialects"))]
    portable = [*pure, *(f"-phookweave-{name}" for name in ("clock", "session", "spawn", "audit"))]
    for target, command in [(PURE_TARGET, pure), *((target, portable) for target in OTHER_TARGETS)]:
        missing = None if target in present else "its standard library is not installed"
        steps.append(Step(f"the core for {target}", [*command, "--target", target], skip=missing))
    deny = ["cargo-deny", "--all-features", "--log-level", "error", "check", "licenses", "bans", "sources"]
    steps.append(
        Step("cargo deny", deny, skip=None if shutil.which("cargo-deny") else "there is no prebuilt program for here")
    )
    return steps


def python_steps() -> list[Step]:
    """ruff over all Python; mypy over the package and the programs beside it; the package's cycles, API and stub."""
    programs = ["tools", "bench/python", "bench/run.py", "bench/programs.py"]
    # One at a time: each is a module called `main`.
    examples = {path.parent.name: [str(path)] for path in sorted(ROOT.glob("examples/*/main.py"))}
    mypy = [sys.executable, "-m", "mypy", "--config-file", "tools/mypy.ini"]
    stubtest = [sys.executable, "-m", "mypy.stubtest", "--ignore-missing-stub", "hookweave._native"]
    return [
        Step("ruff", ["ruff", "check", "--output-format", "concise", "."]),
        Step("ruff format", ["ruff", "format", "--check", "--output-format", "concise", "."]),
        Step("mypy, the package", [sys.executable, "-m", "mypy"], cwd=PYTHON_PACKAGE),
        Step("Python, cycles of modules", ["lint-imports", "--no-cache"], cwd=PYTHON_PACKAGE),
        Step("Python, public API", [sys.executable, "tools/python_api.py", "--check"]),
        Step("Python, stub of the native half", stubtest, cwd=PYTHON_PACKAGE),
        *(Step(f"mypy, {name}", [*mypy, *files]) for name, files in {"the programs": programs, **examples}.items()),
    ]


def release_steps() -> list[Step]:
    """What a release needs besides the code: one version, licences, and workflows without mistakes and weaknesses."""
    workflows = {
        "actionlint": ["actionlint"],
        # What it asks GitHub about is asked by its workflow.
        "zizmor": ["zizmor", "--offline", "--quiet", "--no-progress", ".github", "action.yml"],
    }
    return [
        Step("one version everywhere", [sys.executable, "tools/release.py", "--check"]),
        Step("licences of what is compiled in", [sys.executable, "tools/third_party.py", "--check"]),
        *(
            Step(name, command, skip=None if shutil.which(name) else "there is no program for here")
            for name, command in workflows.items()
        ),
    ]


def prose_steps() -> list[Step]:
    """The prose of the documents."""
    missing = None if importlib.util.find_spec("proselint") else "there is no prebuilt proselint for here"
    return [Step("prose", [sys.executable, "tools/prose.py"], skip=missing)]


def node_steps() -> list[Step]:
    """The package's own linter and types, and the types of the programs beside it."""
    tsc = [str(NODE_PACKAGE / "node_modules" / ".bin" / "tsc"), "--noEmit", "--project"]
    prettier = [str(NODE_PACKAGE / "node_modules" / ".bin" / "prettier"), "--log-level", "warn", "--check"]
    layout = ["--config", "bindings-node/.prettierrc.json", "--print-width", "120"]
    page = [
        "examples/approval-page/*.ts",
        "examples/approval-page/page",
        "tests/approval-page/*.mjs",
        "tests/bundlers/*.mjs",
    ]
    return [
        Step("TypeScript lint", ["npm", "run", "--silent", "lint"], cwd=NODE_PACKAGE),
        Step("TypeScript, cycles of modules", ["npm", "run", "--silent", "check:cycles"], cwd=NODE_PACKAGE),
        Step("TypeScript, the public API", ["npm", "run", "--silent", "check:api"], cwd=NODE_PACKAGE),
        Step("tsc, the package", [*tsc, "bindings-node/tsconfig.json"]),
        Step("tsc, its tests", [*tsc, "tests/node/tsconfig.json"]),
        Step("tsc, the programs", [*tsc, "examples/tsconfig.json"]),
        Step("prettier, the approval page", [*prettier, *layout, *page]),
    ]


def generated_steps() -> list[Step]:
    """What the build writes is what was committed (or staged)."""
    in_git = subprocess.run(["git", "rev-parse", "--git-dir"], cwd=ROOT, capture_output=True, check=False)
    skip = None if in_git.returncode == 0 else "this is no git checkout"
    command = ["git", "diff", "--exit-code", "--stat", "--", *GENERATED]
    return [Step("generated files are up to date", command, skip=skip)]


def run(step: Step) -> tuple[bool, str]:
    """Runs a step; whether all is well, and what to show."""
    title = f"== {step.name}\n"
    if step.skip is not None:
        return True, f"{title}   left out: {step.skip}\n"
    began = time.monotonic()
    try:
        process = start(step.command, step.cwd)
    except OSError as error:
        return False, f"{title}   could not be started: {error}\n"
    output, _ = process.communicate()
    well = "ok" if process.returncode == 0 else f"FAILED ({process.returncode})"
    return process.returncode == 0, f"{title}{output}   {well} in {time.monotonic() - began:.1f} s\n"


def run_all(steps: Sequence[Step]) -> list[str]:
    """Runs steps one after the other, shows each when it ends, and names those that failed."""
    failed = []
    for step in steps:
        well, shown = run(step)
        sys.stdout.write(shown)
        sys.stdout.flush()
        if not well:
            failed.append(step.name)
    return failed


def main() -> int:
    """Runs the checks of the given languages, or all."""
    groups = {
        "rust": rust_steps,
        "python": python_steps,
        "node": node_steps,
        "prose": prose_steps,
        "release": release_steps,
        "generated": generated_steps,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"some of {', '.join(groups)}; all when none is given")
    chosen = parser.parse_args().groups or list(groups)
    if unknown := set(chosen) - set(groups):
        parser.error(f"unknown group {', '.join(sorted(unknown))}")
    failed = run_all([step for group in chosen for step in groups[group]()])
    print(f"\nlint {' '.join(chosen)}: {', '.join(failed) + ' failed' if failed else 'everything is clean'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
