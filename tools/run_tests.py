"""Runs the test suites of the project and closes with one line: `N passed, N failed`.

What a suite prints goes to target/results/NAME.log; if it failed, the end is shown. A test that fails is run once more,
alone, after all others: what passes then is named, and more than a few of them fail the run after all.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from child import start
from markdown_pages import replace_section
from progress import Progress
from results import Count, count_junit, count_libtest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "target" / "results"
VECTOR_LISTS = ROOT / "target" / "vectors"
# Where cargo and rustup have their things when the environment does not say.
TOOL_HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
# Freed memory is filled with a pattern, and all objects are looked at between tests, as debuggers do.
LOOKED_AFTER = {"PYTHONMALLOC": "debug", "HOOKWEAVE_TEST_MEMORY": "1"}
# More tests than these that pass only alone are no accident.
SECOND_RUNS = 3
SECOND_RUN_LIST = RESULTS / "second-run.txt"
SHOWN_OF_A_FAILURE = 400
# What the Makefile built before: a line each, seconds and name.
BUILDS = ROOT / "target" / "builds.txt"
# The tests that another release of Node can fail: the vectors, and those of the addon, threads, timers and exits.
SMOKE = (
    "loading-package",
    "memory",
    "platform",
    "processes",
    "realms",
    "session-vectors",
    "threads",
    "timers",
    "vectors",
)

Out = Callable[[str], None]


@dataclass(frozen=True)
class Suite:
    """A test program: how to run it, and where it tells what passed.

    Without a report its output holds libtest's summaries, or it is `one_check`, which its exit code decides. `again`
    makes the command that runs the tests of these names alone; without it the whole program runs again.
    """

    name: str
    command: Sequence[str]
    report: Path | None = None
    one_check: bool = False
    cwd: Path = ROOT
    env: Mapping[str, str] = field(default_factory=dict)
    build: Sequence[str] = ()
    again: Callable[[Sequence[str]], Sequence[str]] | None = None

    def only(self, failed: Sequence[str]) -> Suite:
        """The suite with the tests of these names alone."""
        return replace(self, command=self.again(failed)) if self.again else self


def cargo_suite(name: str, options: Sequence[str], filters: Sequence[str], env: Mapping[str, str]) -> Suite:
    """Tests that cargo builds and runs."""
    cargo = ["cargo", "test", *options, "--quiet"]
    return Suite(
        name,
        [*cargo, "--no-fail-fast", "--", *filters],
        env=env,
        build=[*cargo, "--no-run"],
        again=lambda failed: [*cargo, "--no-fail-fast", "--", "--exact", *failed],
    )


def rust_suites(python: str, node: str) -> list[Suite]:
    """Unit, vector, property, example and doc tests of the crates; the bindings are tested from their languages."""
    # The packages, the command and the examples hold integers of any size, which would change what all others are
    # built with.
    exclude = [part for name in ("python", "node", "cli", "examples") for part in ("--exclude", f"hookweave-{name}")]
    # A home of the tests' own: a login shell would read the developer's profile.
    own = ROOT / "target" / "home"
    own.mkdir(parents=True, exist_ok=True)
    tools = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in TOOL_HOMES.items()}
    # Some tests start programs in the other languages.
    env = {**tools, "HOME": str(own), "HOOKWEAVE_PYTHON": python, "HOOKWEAVE_NODE": node}
    # Threads under many orders of their steps: the crates are built anew with other locks.
    races = [*(f"--package=hookweave-{name}" for name in ("machine", "session", "audit")), "--lib"]
    checked = {**env, "RUSTC_WORKSPACE_WRAPPER": str(ROOT / "tools" / "shuttle.sh")}
    return [
        cargo_suite("rust", ["--workspace", *exclude], [], env),
        # Unit tests of what the checks include run with the ordinary locks, above.
        cargo_suite("races", races, ["races::", "--skip", "::tests::"], checked),
        # The command is tested as it is shipped, built from what the packages are built from.
        cargo_suite("command", ["--package", "hookweave-cli", "--release"], [], env),
    ]


def pytest_suite(name: str, python: str, folder: str, env: Mapping[str, str]) -> Suite:
    """Tests of one folder that pytest runs."""
    report = RESULTS / f"{name}.xml"
    cache = f"cache_dir={RESULTS / name}-cache"
    command = [python, "-m", "pytest", "-q", folder, f"--junitxml={report}", "-o", cache]
    again = [*command, "--last-failed", "--last-failed-no-failures=none"]
    return Suite(name, command, report, env=env, again=lambda _: again)


def python_suites(python: str, everything: bool) -> list[Suite]:
    """The Python package's tests and those of the tools of this folder."""
    # They pack the command: compiled before, so that on a busy machine no test waits for the compiler.
    compiled = ["cargo", "build", "--release", "--quiet", "--package", "hookweave-cli"]
    return [
        pytest_suite("python", python, "tests/python", LOOKED_AFTER if everything else {}),
        replace(pytest_suite("tools", python, "tools/tests", {}), build=compiled),
    ]


def node_suite(name: str, node: str, files: Sequence[str], cwd: Path = ROOT, env: Mapping[str, str] = {}) -> Suite:
    """Tests of these files that Node runs."""
    report = RESULTS / f"{name.replace(' ', '-')}.xml"
    command = [node, "--expose-gc", "--test", *reporters(report)]

    def again(failed: Sequence[str]) -> Sequence[str]:
        # Newer releases match the names of a test and of what it stands in, all in one, older ones its own.
        patterns = [f"--test-name-pattern={re.escape(name.rpartition(' > ')[2])}$" for name in failed]
        return [*command, *patterns, *files]

    return Suite(name, [*command, *files], report, cwd=cwd, env=env, again=again)


def node_suites(nodes: Sequence[str], everything: bool) -> list[Suite]:
    """The Node package's tests: all with the first Node program, and what another release can fail with the others."""
    package = ROOT / "bindings-node"
    tests = sorted(str(path) for path in (package / "build-tests").rglob("*.test.js"))
    smoke = [path for path in tests if Path(path).name.removesuffix(".test.js") in SMOKE]
    suites = []
    for node in nodes:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        files = tests if everything or node == nodes[0] else smoke
        suites.append(node_suite(f"node {version.removeprefix('v').split('.')[0]}", node, files, package))
    return suites


def reporters(report: Path) -> list[str]:
    """What makes Node's test runner show what it does and write a report too."""
    shown = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    return [*shown, "--test-reporter=junit", f"--test-reporter-destination={report}"]


def user_suites(python: str, node: str) -> list[Suite]:
    """The approval page of the examples, and the Node package in bundlers, frameworks and test runners."""
    return [
        node_suite("approval page", node, ["tests/approval-page/approval-page.test.mjs"], env={"PYTHON": python}),
        node_suite("bundlers", node, ["tests/bundlers/bundlers.test.mjs"]),
    ]


def tool_suites(python: str) -> list[Suite]:
    """Suites that are programs of this folder: the demo, the examples, the documents' code, the lists of vectors."""
    programs = {
        "demo": ["tools/demo.py", "--quiet"],
        "examples": ["tools/examples.py"],
        "documents": ["tools/doc_blocks.py"],
    }
    suites = [Suite("vector lists", [python, "tests/vectors/compare.py", "--schema"], one_check=True)]
    for name, arguments in programs.items():
        report = RESULTS / f"{name.replace(' ', '-')}.xml"
        suites.append(Suite(name, [python, *arguments, f"--junit={report}"], report))
    return suites


def run(suite: Suite, progress: Progress) -> Count:
    """Runs one suite, keeps its output and counts what it reports; shows the end of it if something failed."""
    if suite.report is not None:
        suite.report.unlink(missing_ok=True)
    try:
        process = start(suite.command, suite.cwd, {**os.environ, **suite.env})
    except OSError as error:
        return Count.broken(f"could not be started: {error}")
    with progress.watch(suite.name, process.kill) as watched:
        assert process.stdout is not None
        lines = [watched.saw(line) for line in process.stdout]
        code = process.wait()
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{suite.name.replace(' ', '-')}.log").write_text("".join(lines), encoding="utf-8")
    if suite.one_check:
        count = Count(passed=1) if code == 0 else Count(failed=1, failures=[f"exit code {code}"])
    else:
        count = count_libtest(lines) if suite.report is None else count_junit(suite.report)
    if (problem := judge(count, code, watched.silent)) is not None:
        count.add(Count.broken(problem))
    if count.failed:
        progress.print("".join(f"{suite.name:<9}| {line}" for line in lines[-SHOWN_OF_A_FAILURE:]))
    return count


def judge(count: Count, code: int, silent: bool) -> str | None:
    """What the reports cannot tell: a suite that crashed, hung, or ran nothing."""
    if silent:
        return "stopped: it printed nothing for too long"
    if code < 0:
        return f"ended by signal {-code}"
    if code != 0 and count.failed == 0:
        return f"exit code {code} although no test failed"
    if count.passed + count.failed == 0:
        return "ran no test"
    return None


def run_again(suites: Sequence[Suite], table: Table, progress: Progress) -> None:
    """Runs what failed once more, alone; what passes then counts as passed and is named."""
    # A runner lists the vectors of its run: those of the first are the whole.
    lists = {path: path.read_bytes() for path in VECTOR_LISTS.glob("*.txt")}
    for suite in suites:
        first = table.counts[suite.name]
        if not first.failed or first.is_broken:
            continue
        second = run(suite.only(first.failures), progress)
        for path, content in lists.items():
            path.write_bytes(content)
        if second.is_broken or second.passed + second.failed < first.failed:
            continue
        passed = [name for name in first.failures if name not in second.failures]
        table.second_runs += [f"{suite.name}: {name}" for name in passed]
        still = [name for name in first.failures if name in second.failures]
        table.counts[suite.name] = replace(first, passed=first.passed + len(passed), failed=len(still), failures=still)


@dataclass
class Table:
    """What came of a run: counts and seconds of the suites, seconds of the builds."""

    counts: dict[str, Count] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    builds: dict[str, float] = field(default_factory=dict)
    second_runs: list[str] = field(default_factory=list)
    vectors: int = 0

    def text(self) -> str:
        """Builds, suites, the names of failed tests, and the closing line."""
        total = Count()
        rows = [f"{'build':<42}{'seconds':>9}"] if self.builds else []
        rows += [f"{name:<42}{seconds:>9.1f}" for name, seconds in self.builds.items()]
        rows.append(f"{'suite':<16}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>10}")
        for name, count in self.counts.items():
            total.add(count)
            rows.append(
                f"{name:<16}{count.passed:>8}{count.failed:>8}{count.skipped:>9}{self.seconds.get(name, 0):>10.1f}"
            )
        for name, count in self.counts.items():
            rows += [f"FAILED {name}: {failure}" for failure in count.failures]
        if len(self.second_runs) > SECOND_RUNS:
            too_many = f"{len(self.second_runs)} tests needed a second run, more than {SECOND_RUNS}"
            total.fail(too_many)
            rows.append(f"FAILED: {too_many}")
        if self.second_runs:
            rows.append(f"needed a second run: {', '.join(self.second_runs)}")
        if self.vectors:
            rows.append(f"{self.vectors} cases x 3 languages among {total.passed + total.failed} tests")
        return "\n".join([*rows, "", f"{total.passed} passed, {total.failed} failed"])


def run_all(suites: Sequence[Suite], table: Table, progress: Progress) -> None:
    """Builds and runs suites one after the other."""
    for suite in suites:
        if suite.build:
            with progress.timed(table.builds, f"tests of {suite.name}"):
                built = subprocess.run(
                    suite.build, cwd=suite.cwd, env={**os.environ, **suite.env}, capture_output=True, check=False
                )
            if built.returncode != 0:
                progress.print(built.stderr.decode("utf-8", "replace"))
                table.counts[suite.name] = Count.broken("does not compile")
                continue
        with progress.timed(table.seconds, suite.name):
            table.counts[suite.name] = run(suite, progress)


def rounds(suites: Sequence[Suite]) -> Iterator[list[list[Suite]]]:
    """What runs when: the lanes of a round beside each other, the suites of a lane one after the other."""

    def named(*names: str) -> list[Suite]:
        return [suite for name in names for suite in suites if suite.name.split()[0] == name]

    # Each lane has what may not run beside one another: what cargo builds for tests, and what packs the Node package or
    # loads it while it is packed. More lanes than cores: suites wait for processes, sockets and clocks.
    yield [
        named("rust", "races"),
        named("python"),
        named("tools", "node", "bundlers"),
        named("demo", "examples", "documents", "approval", "command"),
    ]
    yield [named("fuzz")]
    # Compares what all of the above have written.
    yield [named("vector")]


def made_before() -> dict[str, float]:
    """What was built since the tests ran last, with its seconds."""
    if not BUILDS.exists():
        return {}
    lines = [line.partition("\t") for line in BUILDS.read_text(encoding="utf-8").splitlines()]
    BUILDS.unlink()
    return {name: float(seconds) for seconds, _, name in lines}


def dated(closing: str) -> str:
    """The table of a run as a page shows it."""
    asked = ["git", "log", "-1", "--format=%h"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"{datetime.date.today()}, commit {commit or 'unknown'}:\n\n```text\n{closing}\n```"


def main() -> int:
    """Runs the suites named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", help="names of suites, such as `rust` or `python`; all when none is given")
    parser.add_argument("--python", default=sys.executable, help="the Python that has hookweave installed")
    parser.add_argument("--node", action="append", default=[], help="a Node program to test with; may be repeated")
    parser.add_argument("--all", action="store_true", help="also run what is slow or repeats others")
    parser.add_argument("--once", action="store_true", help="run nothing a second time: what fails has failed")
    options = parser.parse_args()
    if options.all:
        os.environ["HOOKWEAVE_TEST_ALL"] = "1"
    # Suites run in other folders than this one.
    nodes = [str(Path(shutil.which(node) or node).absolute()) for node in options.node or ["node"]]
    suites = [
        *rust_suites(options.python, nodes[0]),
        *python_suites(options.python, options.all),
        *node_suites(nodes, options.all),
    ]
    suites += [*tool_suites(options.python), *user_suites(options.python, nodes[0])]
    if options.all:
        suites.append(Suite("fuzz", [options.python, "tools/fuzz.py"], one_check=True))
    if options.suites:
        unknown = set(options.suites) - {suite.name for suite in suites} - {suite.name.split()[0] for suite in suites}
        if unknown:
            parser.error(f"unknown suite {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in suites)}")
        suites = [s for s in suites if s.name in options.suites or s.name.split()[0] in options.suites]
    else:
        # Every runner writes its list anew; one left from an earlier run must not stand in for a missing one.
        shutil.rmtree(VECTOR_LISTS, ignore_errors=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    SECOND_RUN_LIST.unlink(missing_ok=True)
    table = Table(builds=made_before())
    with Progress(sys.stdout) as progress:
        for lanes in rounds(suites):
            threads = [threading.Thread(target=run_all, args=(lane, table, progress)) for lane in lanes]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if not options.once:
            run_again(suites, table, progress)
    table.counts = {suite.name: table.counts[suite.name] for suite in suites}
    if table.second_runs:
        SECOND_RUN_LIST.write_text("\n".join(table.second_runs) + "\n", encoding="utf-8")
    if not options.suites:
        table.vectors = sum(len(path.read_text("utf-8").splitlines()) for path in VECTOR_LISTS.glob("*python.txt"))
    closing = table.text()
    if options.all and not options.suites:
        replace_section(ROOT / "docs" / "TESTING.md", "test-all", dated(closing))
    print(f"\n== summary ==\n{closing}", flush=True)
    return 0 if closing.endswith(", 0 failed") else 1


if __name__ == "__main__":
    sys.exit(main())
