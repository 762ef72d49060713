"""Runs the guarded agent in Python, Node and Rust, shows what each did, and fails when the three differ."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from results import Case, write_junit
from typescript import compile_project, link_packages

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "guarded-agent"
CALLS = EXAMPLE / "calls.jsonl"
RUNS = ROOT / "target" / "demo"
TYPESCRIPT_OUT = ROOT / "target" / "examples"
FEWEST_CALLS = 40
# Differences that are shown of two runs.
MOST_SHOWN = 20
MISSING = object()
# The last column of a row of the table, and the figure that closes the summary.
TIMES = re.compile(r" +\d+\.\d$|took \d+ µs", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """One language's run: what it printed and left behind, or why it failed."""

    language: str
    folder: Path
    printed: str
    problem: str | None = None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The canonical outcomes of every call, without the times."""
        lines = (self.folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
        return [without_times(json.loads(line)) for line in lines]

    @property
    def files(self) -> dict[str, bytes]:
        """The log that a hook wrote, and the files that the tools wrote and a hook formatted."""
        paths = [self.folder / "log.jsonl", *sorted((self.folder / "files").rglob("*"))]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths if path.is_file()}


def without_times(value: Any) -> Any:
    """A value without the members that hold a measured time."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "duration_us"}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


def build(quiet: bool) -> str | None:
    """Compiles the TypeScript and the Rust program; says what is wrong when one does not compile."""
    link_packages(TYPESCRIPT_OUT)
    compiled = compile_project(ROOT / "examples" / "tsconfig.json")
    if compiled.returncode != 0:
        return f"the TypeScript program does not compile:\n{compiled.stdout}{compiled.stderr}"
    command = ["cargo", "build", "--release", "-p", "hookweave-example-guarded-agent"]
    built = subprocess.run([*command, *(["--quiet"] if quiet else [])], cwd=ROOT, check=False)
    return "the Rust program does not compile" if built.returncode != 0 else None


def commands() -> dict[str, list[str]]:
    """How each program is started."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return {
        "Python": [sys.executable, str(EXAMPLE / "main.py")],
        "Node": [os.environ.get("NODE", "node"), str(TYPESCRIPT_OUT / "guarded-agent" / "main.js")],
        "Rust": [str(target / "release" / "guarded-agent")],
    }


def start(language: str, command: list[str]) -> Run:
    """Runs one program in a fresh folder."""
    folder = RUNS / language.lower()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run(
        [*command, str(folder), str(CALLS)], capture_output=True, text=True, encoding="utf-8", check=False, timeout=120
    )
    problem = None if done.returncode == 0 else f"exit code {done.returncode}\n{done.stderr}"
    return Run(language, folder, done.stdout, problem)


def differences(one: Run, other: Run) -> Iterator[str]:
    """Where two runs decided, wrote or printed something else."""
    if len(one.calls) != len(other.calls):
        yield f"{one.language} recorded {len(one.calls)} calls, {other.language} {len(other.calls)}"
    for mine, theirs in zip(one.calls, other.calls, strict=False):
        for place, left, right in unequal(mine, theirs):
            yield f"call {mine['call']}{place}: {one.language} has {left}, {other.language} {right}"
    for name in sorted(one.files.keys() | other.files.keys()):
        if one.files.get(name) != other.files.get(name):
            yield f"the file {name} differs between {one.language} and {other.language}"
    for mine_line, other_line in zip(table(one), table(other), strict=False):
        if mine_line != other_line:
            yield f"the tables differ:\n  {one.language}: {mine_line}\n  {other.language}: {other_line}"
            break


def unequal(one: Any, other: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """The places where two values differ, with what stands there in each."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from unequal(one.get(key, MISSING), other.get(key, MISSING), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from unequal(left, right, f"{place}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield place, shown(one), shown(other)


def shown(value: object) -> str:
    """A value as a difference shows it."""
    return "nothing" if value is MISSING else json.dumps(value)[:200]


def table(run: Run) -> list[str]:
    """What a run printed, without the measured times."""
    return TIMES.sub("", run.printed).splitlines()


def check(runs: list[Run]) -> list[Case]:
    """One verdict for each run and one for each comparison."""
    cases = [Case(f"{run.language} works through the calls", run.problem or too_short(run)) for run in runs]
    if any(case.problem for case in cases):
        return cases
    first, *others = runs
    for other in others:
        found = list(islice(differences(first, other), MOST_SHOWN))
        cases.append(Case(f"{first.language} and {other.language} decide alike", "\n".join(found) or None))
    return cases


def too_short(run: Run) -> str | None:
    """A run that skipped most of its work proves nothing."""
    return None if len(run.calls) >= FEWEST_CALLS else f"only {len(run.calls)} calls, {FEWEST_CALLS} are the least"


def main() -> int:
    """Builds, runs, shows and compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="print the verdicts only")
    parser.add_argument("--junit", type=Path, help="where to write a JUnit report")
    options = parser.parse_args()
    began = time.monotonic()
    if (broken := build(options.quiet)) is not None:
        cases = [Case("the programs compile", broken)]
    else:
        runs = []
        for language, command in commands().items():
            run = start(language, command)
            runs.append(run)
            if not options.quiet:
                print(f"\n=== {language} {'=' * (95 - len(language))}\n\n{run.printed}", flush=True)
        if not options.quiet:
            print("Marks: ! blocks  ? asks  + allows  ~ retries  * modifies  x failed; | separates events.")
            print(f"Logs, files and full outcomes are under {RUNS.relative_to(ROOT)}/.\n")
        cases = check(runs)
    for case in cases:
        print(f"{'FAILED' if case.problem else 'ok':<8}{case.name}" + (f"\n{case.problem}" if case.problem else ""))
    if options.junit:
        write_junit(options.junit, "examples", cases)
    print(f"{time.monotonic() - began:.1f} s")
    return any(case.problem for case in cases)


if __name__ == "__main__":
    sys.exit(main())
