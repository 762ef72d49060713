"""Breaks the machine in many small ways and prints which breaks the vectors notice."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target" / "tools"
OUT = ROOT / "target" / "mutants.out"
VERSION = "27.1.0"
# What decides: dispatch, folding, matching.
FILES = ["dispatch.rs", "fold.rs", "fold/*.rs", "outcome.rs", "outcome/*.rs", "matcher.rs", "matcher/*.rs"]
GOAL_PERCENT = 95.0
# Hundreds of builds: none is debugged, and most of each is like the one before.
FAST_BUILDS = {"CARGO_INCREMENTAL": "1", "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0"}
# A broken machine may loop; the vectors themselves take a few seconds.
TIMEOUT_SECONDS = 60


def install() -> Path:
    """Builds cargo-mutants into target/tools, once."""
    program = TOOLS / "bin" / "cargo-mutants"
    if not program.exists():
        print("building cargo-mutants into target/tools (a few minutes, once) …", flush=True)
        command = ["cargo", "install", "--quiet", "--locked", "--root", str(TOOLS), "--version", VERSION]
        subprocess.run([*command, "cargo-mutants"], cwd=ROOT, check=True)
    return program


def run(program: Path, jobs: int, extra: list[str]) -> None:
    """Tests every mutant against the vectors alone; survivors are no error of the run."""
    files = [argument for name in FILES for argument in ("--file", f"core/machine/src/{name}")]
    command = [str(program), "mutants", "--dir", str(ROOT), "--output", str(OUT.parent), "--jobs", str(jobs)]
    command += [
        "--package",
        "hookweave-machine",
        "--test-package",
        "hookweave-vectors",
        "--timeout",
        str(TIMEOUT_SECONDS),
    ]
    # The unbroken core is tested before, by the same vectors; cargo-mutants would look for them in the core's package.
    subprocess.run(["cargo", "test", "--package", "hookweave-vectors", "--test", "vectors"], cwd=ROOT, check=True)
    command += ["--baseline=skip"]
    # Lints would turn some mutants into build errors.
    command += ["--cap-lints=true", "--no-shuffle", *files, *extra, "--", "--test", "vectors"]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, **FAST_BUILDS}, check=False).returncode
    if code not in (0, 2, 3):
        raise SystemExit(f"mutate: cargo-mutants ended with exit code {code}")


def section(outcomes: dict[str, Any], missed: list[str], part: str = "") -> str:
    """What came of it, in words."""
    caught = outcomes["caught"] + outcomes["timeout"]
    viable = caught + outcomes["missed"]
    share = 100.0 * caught / viable if viable else 0.0
    lines = [
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, `make mutate`: the vectors alone notice **{share:.1f} %** of "
        f"{viable} breaks of `dispatch`, `fold`, `outcome` and `matcher` ({outcomes['caught']} by a failing case, "
        f"{outcomes['timeout']} by a hang; {outcomes['unviable']} more do not compile). "
        f"The goal is {GOAL_PERCENT:.0f} %.{part}",
    ]
    if missed:
        lines += ["", "Not noticed:", "", *(f"* `{name}`" for name in missed)]
    return "\n".join(lines)


def main() -> int:
    """Runs the mutants and prints what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="mutants tested at once")
    parser.add_argument("--only-report", action="store_true", help="print what the last run found")
    options, extra = parser.parse_known_args()
    if not options.only_report:
        run(install(), options.jobs, extra)
    outcomes = json.loads((OUT / "outcomes.json").read_text(encoding="utf-8"))
    missed = (OUT / "missed.txt").read_text(encoding="utf-8").split("\n")
    part = f" Not all mutants were tried: `{' '.join(extra)}`." if extra else ""
    print(section(outcomes, [line for line in missed if line], part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
