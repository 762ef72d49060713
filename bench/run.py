"""Measures hookweave against bare loops and its peers, in interleaved rounds, and writes docs/BENCHMARKS.md."""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bars import BARS, CEILINGS, Bar, Ceiling, Series
from peers import ROOT, left_out
from programs import commands, install

PAGE = ROOT / "docs" / "BENCHMARKS.md"
TIMES = PAGE.with_name("benchmarks.csv")
ROUNDS = 41


class Program:
    """A running benchmark program and what it has measured."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready = self._read()
        self.versions: dict[str, str] = ready["versions"]
        self.samples: dict[str, list[float]] = {variant: [] for variant in ready["ready"]}

    def measure(self) -> None:
        """Takes one sample of every variant."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        for variant, nanoseconds in self._read().items():
            self.samples[variant].append(nanoseconds)

    def close(self) -> None:
        """Lets the program end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"bench: {self.name} ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def paired_ratio(bar: Bar, samples: dict[Series, list[float]]) -> float:
    """The median of the ratios that were taken in the same round; drift of the machine cancels out."""
    return statistics.median(a / b for a, b in zip(samples[bar.of], samples[bar.to], strict=True))


def verdict(bar: Bar, ratio: float) -> str:
    """Where a ratio stands."""
    return word(bar.meets(ratio, bar.goal), bar.meets(ratio, bar.bar))


def word(goal_met: bool, bar_met: bool) -> str:
    """A verdict."""
    return "goal met" if goal_met else "bar met" if bar_met else "MISSED"


def limit(bar: Bar, value: float) -> str:
    """A limit with its direction."""
    return f"{'<=' if bar.at_most else '>='} {value:,g}x"


def shown(ratio: float) -> str:
    """A ratio with as many digits as it deserves."""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2f}x"


def duration(nanoseconds: float) -> str:
    """A time in a unit that reads well."""
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.2f} {unit}"
    return f"{nanoseconds:.0f} ns"


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measured(bars: Iterable[Bar], samples: dict[Series, list[float]]) -> list[Bar]:
    """The bars whose programs both ran."""
    return [bar for bar in bars if bar.of in samples and bar.to in samples]


def bar_rows(bars: Iterable[Bar], samples: dict[Series, list[float]]) -> list[tuple[str, ...]]:
    """The table of ratios."""
    rows: list[tuple[str, ...]] = [("ratio of one dispatch", "measured", "bar", "goal", "verdict")]
    for bar in bars:
        ratio = paired_ratio(bar, samples)
        rows.append((bar.label, shown(ratio), limit(bar, bar.bar), limit(bar, bar.goal), verdict(bar, ratio)))
    return rows


def ceiling_rows(ceilings: Iterable[Ceiling], samples: dict[Series, list[float]]) -> list[tuple[str, ...]]:
    """The table of times that have a bar of their own."""
    rows: list[tuple[str, ...]] = [("time", "measured", "bar", "goal", "verdict")]
    for ceiling in ceilings:
        median = statistics.median(samples[ceiling.of])
        limits = (f"<= {duration(ceiling.bar)}", f"<= {duration(ceiling.goal)}")
        rows.append((ceiling.label, duration(median), *limits, word(median <= ceiling.goal, median <= ceiling.bar)))
    return rows


def sample_rows(programs: Iterable[Program]) -> list[tuple[str, ...]]:
    """The table of times."""
    rows: list[tuple[str, ...]] = [("program", "variant", "min", "median", "p90")]
    for program in programs:
        for variant, values in program.samples.items():
            figures = (min(values), statistics.median(values), percentile(values, 0.9))
            rows.append((program.name, variant, *map(duration, figures)))
    return rows


def as_text(rows: list[tuple[str, ...]]) -> str:
    """A table for the terminal."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def as_markdown(rows: list[tuple[str, ...]]) -> str:
    """A table for the page."""
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    rule = "|" + "---|" * len(rows[0])
    return "\n".join([head, rule, *body])


def processor() -> str:
    """The name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def first_line(*command: str) -> str:
    """What a program says of its version."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def page(programs: list[Program], rounds: int, load: float) -> str:
    """The whole page, from what was measured alone."""
    samples = {(program.name, variant): values for program in programs for variant, values in program.samples.items()}
    versions = {name: version for program in programs for name, version in program.versions.items()}
    hosts = f"CPython {platform.python_version()}, Node {first_line('node', '--version')}, {first_line('rustc', '-V')}"
    facts = [
        f"* Taken on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} with `make bench` ({rounds} rounds).",
        f"* {platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores; "
        f"load average at the start {load:.2f}.",
        f"* {hosts}.",
        f"* {', '.join(f'{name} {version}' for name, version in sorted(versions.items()))}.",
    ]
    if missing := left_out():
        names = ", ".join(f"{peer.package} {peer.version}" for peer in missing)
        facts.append(f"* Left out, with their rows, because there is no package of them for this machine: {names}.")
    return f"""# Benchmarks

`make bench` measures and writes this page; nothing on it is typed by hand.

Every program runs in a process of its own and takes one sample of each of its variants per round, all programs in
turn. A ratio is the median of the ratios of each round. A dispatch is `dispatch(name, payload)` with everything on:
matching, typed event, isolation, timeout, failure rule, outcome and trace. The bare loop only awaits each hook. A tool
call is `session.run_tool` with a tool that takes no time, beside what a peer documents for a host.

{chr(10).join(facts)}

A *bar* must be met, or [ARCHITECTURE.md](../ARCHITECTURE.md) argues why it is missed; a *goal* is what the design
allows.

{as_markdown(bar_rows(measured(BARS, samples), samples))}

Commands are the same program started as a hook (JSON on its standard input, output read, a session of its own, a time
limit) and bare. The main thread's time is that in which Node's event loop did not wait.

{as_markdown(ceiling_rows(CEILINGS, samples))}

[{TIMES.name}]({TIMES.name}) has all times: the least, the median and the 90th percentile of {rounds} samples of about
20 ms, of 100 ms where commands run and in the sessions of Python and Node.
"""


def main() -> int:
    """Installs, measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"samples of each variant, {ROUNDS} by default")
    parser.add_argument("--no-install", action="store_true", help="measure what the last run installed")
    parser.add_argument("--no-write", action="store_true", help="print only, leave docs/BENCHMARKS.md as it is")
    parser.add_argument("--only", metavar="WORD", help="measure programs with this word in their name, and print only")
    options = parser.parse_args()
    if not options.no_install:
        print("installing hookweave and its peers into target/bench …", flush=True)
        install()
    load = os.getloadavg()[0]
    programs = []
    absent = {peer.program for peer in left_out()}
    for name, command in commands().items():
        if name in absent or (options.only and options.only not in name):
            continue
        print(f"warming up {name} …", flush=True)
        programs.append(Program(name, command))
    for number in range(options.rounds):
        print(f"\rround {number + 1} of {options.rounds}", end="", flush=True)
        for program in programs:
            program.measure()
    for program in programs:
        program.close()
    samples = {(program.name, variant): values for program in programs for variant, values in program.samples.items()}
    ceilings = [ceiling for ceiling in CEILINGS if ceiling.of in samples]
    tables = [sample_rows(programs), bar_rows(measured(BARS, samples), samples), ceiling_rows(ceilings, samples)]
    print("\n" + "".join(f"\n{as_text(rows)}\n" for rows in tables))
    if not options.no_write and not options.only:
        PAGE.write_text(page(programs, options.rounds, load), encoding="utf-8")
        with TIMES.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(sample_rows(programs))
        print(f"\nwritten to {PAGE.relative_to(ROOT)} and {TIMES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
