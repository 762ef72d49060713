"""Runs the examples in Python, Node and Rust, shows what each did, and fails when the three differ."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from example_programs import EXAMPLES, ROOT, build_rust, build_typescript, commands
from results import Case, write_junit

RUNS = ROOT / "target" / "demo"
RUN_LIMIT_SECONDS = 600
# Differences that are shown of two runs.
MOST_SHOWN = 20
MISSING = object()
# The last column of a row of the table, and the figure that closes the summary.
TIMES = re.compile(r" +\d+\.\d$|took \d+ [µm]s", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A program in three languages that works through a list and keeps a record of each step."""

    name: str
    steps: str
    """The list, one JSON object a line."""
    step: str
    """What a step is called, which is also its number's name in the records."""
    fewest: int
    """A run with fewer steps skipped most of its work and proves nothing."""
    leaves: tuple[str, ...]
    """Files and folders of a run that must be the same in every language."""
    legend: str

    @property
    def sources(self) -> Path:
        """Where the programs are."""
        return EXAMPLES / self.name


GUARDED_AGENT = Example(
    name="guarded-agent",
    steps="calls.jsonl",
    step="call",
    fewest=40,
    leaves=("log.jsonl", "files"),
    legend="Marks: ! blocks  ? asks  + allows  ~ retries  * modifies  x failed; | separates events.",
)
EXISTING_HOOKS = Example(
    name="existing-hooks",
    steps="events.jsonl",
    step="event",
    fewest=10,
    leaves=("project",),
    legend="Marks: ! blocks  ? asks  + allows  * rewrites  x failed. The settings file and its scripts are unchanged.",
)
SHOWN = (GUARDED_AGENT, EXISTING_HOOKS)


@dataclass(frozen=True)
class Run:
    """One language's run: what it printed and left behind, or why it failed."""

    example: Example
    language: str
    folder: Path
    printed: str
    problem: str | None = None

    @property
    def records(self) -> list[dict[str, Any]]:
        """The canonical outcomes of every step, without the times and the place of the run."""
        text = (self.folder / "records.jsonl").read_text(encoding="utf-8")
        return [without_times(json.loads(line)) for line in self.anywhere(text).splitlines()]

    @property
    def files(self) -> dict[str, bytes]:
        """What hooks and tools left behind: logs, and files that were written."""
        roots = [self.folder / name for name in self.example.leaves]
        paths = [path for root in roots for path in [root, *sorted(root.rglob("*"))]]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths if path.is_file()}

    @property
    def table(self) -> list[str]:
        """What was printed, without the times and the place of the run."""
        return TIMES.sub("", self.anywhere(self.printed)).splitlines()

    def anywhere(self, text: str) -> str:
        """A text without the place of the run, which is another one for each language."""
        return text.replace(str(self.folder), "<run>")


def without_times(value: Any) -> Any:
    """A value without the members that hold a measured time."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "duration_us"}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


def build(quiet: bool) -> str | None:
    """Compiles the TypeScript and the Rust programs; says what is wrong when one does not compile."""
    return build_typescript() or build_rust([example.name for example in SHOWN], quiet)


def start(example: Example, language: str, command: list[str]) -> Run:
    """Runs one program in a fresh folder, which holds a copy of the example's project if it has one."""
    folder = RUNS / example.name / language.lower()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if (project := example.sources / "project").is_dir():
        shutil.copytree(project, folder / "project")
    done = subprocess.run(
        [*command, str(folder), str(example.sources / example.steps)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=RUN_LIMIT_SECONDS,
    )
    problem = None if done.returncode == 0 else f"exit code {done.returncode}\n{done.stderr}"
    return Run(example, language, folder, done.stdout, problem)


def differences(one: Run, other: Run) -> Iterator[str]:
    """Where two runs decided, wrote or printed something else."""
    step = one.example.step
    if len(one.records) != len(other.records):
        yield f"{one.language} recorded {len(one.records)} {step}s, {other.language} {len(other.records)}"
    for mine, theirs in zip(one.records, other.records, strict=False):
        for place, left, right in unequal(mine, theirs):
            yield f"{step} {mine[step]}{place}: {one.language} has {left}, {other.language} {right}"
    for name in sorted(one.files.keys() | other.files.keys()):
        if one.files.get(name) != other.files.get(name):
            yield f"the file {name} differs between {one.language} and {other.language}"
    for mine_line, other_line in zip_longest(one.table, other.table, fillvalue=""):
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


def check(runs: list[Run]) -> list[Case]:
    """One verdict for each run and one for each comparison."""
    cases = [
        Case(f"{run.example.name}: {run.language} does its work", run.problem or too_short(run) or wrong(run))
        for run in runs
    ]
    if any(case.problem for case in cases):
        return cases
    first, *others = runs
    for other in others:
        found = list(islice(differences(first, other), MOST_SHOWN))
        name = f"{first.example.name}: {first.language} and {other.language} decide alike"
        cases.append(Case(name, "\n".join(found) or None))
    return cases


def too_short(run: Run) -> str | None:
    """A run that skipped most of its work proves nothing."""
    count, step, fewest = len(run.records), run.example.step, run.example.fewest
    return None if count >= fewest else f"only {count} {step}s, {fewest} are the least"


def wrong(run: Run) -> str | None:
    """Where a list says what must be decided, three programs that agree on something else are wrong together."""
    steps = (run.example.sources / run.example.steps).read_text(encoding="utf-8").splitlines()
    for record, step in zip(run.records, map(json.loads, steps), strict=False):
        if "expect" in step and (decided := record["outcome"]["decision"]) != step["expect"]:
            return f"{run.example.step} {record[run.example.step]} came to `{decided}`, `{step['expect']}` is expected"
    return None


def show(example: Example, quiet: bool) -> list[Case]:
    """Runs one example in each language, shows what it printed, and compares."""
    runs = []
    for language, command in commands(example.name).items():
        run = start(example, language, command)
        runs.append(run)
        if not quiet:
            print(f"\n{f'=== {example.name}, {language} '.ljust(100, '=')}\n\n{run.printed}", flush=True)
    if not quiet:
        print(f"{example.legend}\nLogs, files and full outcomes are under {(RUNS / example.name).relative_to(ROOT)}/.")
    return check(runs)


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
        cases = [case for example in SHOWN for case in show(example, options.quiet)]
    print()
    for case in cases:
        print(f"{'FAILED' if case.problem else 'ok':<8}{case.name}" + (f"\n{case.problem}" if case.problem else ""))
    if options.junit:
        write_junit(options.junit, "demo", cases)
    print(f"{time.monotonic() - began:.1f} s")
    return any(case.problem for case in cases)


if __name__ == "__main__":
    sys.exit(main())
