"""Runs every test suite of the project and closes with one line: `N passed, N failed`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from child import start
from results import Count, count_junit, count_libtest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "target" / "results"
VECTOR_LISTS = ROOT / "target" / "vectors"
# Where cargo and rustup have their things when the environment does not say.
TOOL_HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
# Freed memory is filled with a pattern, and all objects are looked at between tests, as debuggers do.
LOOKED_AFTER = {"PYTHONMALLOC": "debug", "HOOKWEAVE_TEST_MEMORY": "1"}
# A suite that hangs must fail the run, not stall it.
SUITE_LIMIT_SECONDS = 1_800


@dataclass(frozen=True)
class Suite:
    """A test program: how to run it, and where it tells what passed.

    Without a report its output holds libtest's summaries, or it is `one_check`, which its exit code decides.
    """

    name: str
    command: Sequence[str]
    report: Path | None = None
    one_check: bool = False
    cwd: Path = ROOT
    env: Mapping[str, str] = field(default_factory=dict)


def rust_suites() -> list[Suite]:
    """Unit, vector, property, example and doc tests of the crates; the bindings are tested from their languages."""
    # The packages, the command and the examples hold integers of any size, which would change what all others are
    # built with.
    exclude = [part for name in ("python", "node", "cli", "examples") for part in ("--exclude", f"hookweave-{name}")]
    # A home of the tests' own: a login shell would read the developer's profile.
    own = ROOT / "target" / "home"
    own.mkdir(parents=True, exist_ok=True)
    tools = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in TOOL_HOMES.items()}
    command = ["cargo", "test", "--workspace", *exclude, "--no-fail-fast", "--quiet"]
    # The command is tested as it is shipped, built from what the packages are built from.
    shipped = ["cargo", "test", "--package", "hookweave-cli", "--release", "--no-fail-fast", "--quiet"]
    env = {**tools, "HOME": str(own)}
    # Threads under many orders of their steps: all is built anew with other locks, in a folder of its own.
    races = ["cargo", "test", *(f"--package=hookweave-{name}" for name in ("machine", "session", "audit")), "--lib"]
    races += ["--target-dir", "target/shuttle", "--no-fail-fast", "--quiet", "races::"]
    # Unit tests of what the checks include run with the ordinary locks, above.
    races += ["--", "--skip", "::tests::"]
    checked = {**env, "RUSTFLAGS": f"{os.environ.get('RUSTFLAGS', '')} --cfg shuttle".strip()}
    return [Suite("rust", command, env=env), Suite("races", races, env=checked), Suite("command", shipped, env=env)]


def python_suites(python: str) -> list[Suite]:
    """The Python package's tests and those of the tools of this folder."""
    report, tools = RESULTS / "python.xml", RESULTS / "tools.xml"
    pytest = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [
        Suite("python", [*pytest, "tests/python", f"--junitxml={report}"], report, env=LOOKED_AFTER),
        Suite("tools", [*pytest, "tools/tests", f"--junitxml={tools}"], tools),
    ]


def node_suites(nodes: Sequence[str]) -> list[Suite]:
    """The Node package's tests, once for every given Node program."""
    tests = sorted(str(path) for path in (ROOT / "bindings-node" / "build-tests").rglob("*.test.js"))
    suites = []
    for node in nodes:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        major = version.removeprefix("v").split(".")[0]
        report = RESULTS / f"node-{major}.xml"
        command = [node, "--expose-gc", "--test", *reporters(report), *tests]
        suites.append(Suite(f"node {major}", command, report, cwd=ROOT / "bindings-node"))
    return suites


def reporters(report: Path) -> list[str]:
    """What makes Node's test runner show what it does and write a report too."""
    shown = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    return [*shown, "--test-reporter=junit", f"--test-reporter-destination={report}"]


def page_suites(python: str, node: str) -> list[Suite]:
    """The approval page of the examples: its servers in both languages, and the page in a browser."""
    report = RESULTS / "approval-page.xml"
    command = [node, "--test", *reporters(report), "tests/approval-page/approval-page.test.mjs"]
    return [Suite("approval page", command, report, env={"PYTHON": python})]


def bundler_suites(node: str) -> list[Suite]:
    """The Node package in bundlers, frameworks and test runners."""
    report = RESULTS / "bundlers.xml"
    command = [node, "--test", *reporters(report), "tests/bundlers/bundlers.test.mjs"]
    return [Suite("bundlers", command, report)]


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


def run(suite: Suite, out: Callable[[str], None]) -> Count:
    """Runs one suite, shows its output as it comes and counts what it reports."""
    if suite.report is not None:
        suite.report.unlink(missing_ok=True)
    lines: list[str] = []
    try:
        process = start(suite.command, suite.cwd, {**os.environ, **suite.env})
    except OSError as error:
        count = Count()
        count.fail(f"could not be started: {error}")
        return count
    timed_out = threading.Event()

    def stop() -> None:
        timed_out.set()
        process.kill()

    limit = threading.Timer(SUITE_LIMIT_SECONDS, stop)
    limit.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            out(line)
        code = process.wait()
    finally:
        limit.cancel()
    if suite.one_check:
        count = Count(passed=1) if code == 0 else Count(failed=1, failures=[f"exit code {code}"])
    else:
        count = count_libtest(lines) if suite.report is None else count_junit(suite.report)
    judge(count, code, timed_out.is_set())
    return count


def judge(count: Count, code: int, timed_out: bool) -> None:
    """Counts what the reports cannot tell: a suite that crashed, hung, or ran nothing."""
    if timed_out:
        count.fail(f"stopped after {SUITE_LIMIT_SECONDS} s")
    elif code != 0 and count.failed == 0:
        count.fail(f"exit code {code} although no test failed")
    elif count.passed + count.failed == 0:
        count.fail("ran no test")


def summary(counts: Mapping[str, tuple[Count, float]]) -> str:
    """The table of suites, the names of failed tests, and the closing line."""
    total = Count()
    rows = [f"{'suite':<16}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}"]
    for name, (count, seconds) in counts.items():
        total.add(count)
        rows.append(f"{name:<16}{count.passed:>8}{count.failed:>8}{count.skipped:>9}{seconds:>9.1f}")
    for name, (count, _) in counts.items():
        rows += [f"FAILED {name}: {failure}" for failure in count.failures]
    return "\n".join([*rows, "", f"{total.passed} passed, {total.failed} failed"])


def run_all(suites: Sequence[Suite], out: Callable[[str], None], counts: dict[str, tuple[Count, float]]) -> None:
    """Runs suites one after the other; every line of output says whose it is."""
    for suite in suites:

        def print_line(line: str, name: str = suite.name) -> None:
            out(f"{name:<9}| {line}")

        start = time.monotonic()
        count = run(suite, print_line)
        counts[suite.name] = (count, time.monotonic() - start)


def rounds(suites: Sequence[Suite]) -> Iterator[list[list[Suite]]]:
    """What runs when: the lanes of a round beside each other, the suites of a lane one after the other."""

    def named(*names: str) -> list[Suite]:
        return [suite for suite in suites if suite.name.split()[0] in names]

    # Cargo compiles for minutes while Python's tests wait for one another; none of them touches what the others read.
    yield [named("rust", "races", "command", "tools"), named("python", "demo", "examples", "documents")]
    # Not beside the tools' tests, which pack the Node package.
    yield [*([suite] for suite in named("node")), named("approval", "bundlers")]
    # Compares what all of the above have written.
    yield [named("vector")]


def main() -> int:
    """Runs the suites named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", help="names of suites, such as `rust` or `python`; all when none is given")
    parser.add_argument("--python", default=sys.executable, help="the Python that has hookweave installed")
    parser.add_argument("--node", action="append", default=[], help="a Node program to test with; may be repeated")
    options = parser.parse_args()
    # Suites run in other folders than this one.
    nodes = [str(Path(shutil.which(node) or node).absolute()) for node in options.node or ["node"]]
    suites = [*rust_suites(), *python_suites(options.python), *node_suites(nodes), *tool_suites(options.python)]
    suites += page_suites(options.python, nodes[0])
    suites += bundler_suites(nodes[0])
    if options.suites:
        unknown = set(options.suites) - {suite.name for suite in suites} - {suite.name.split()[0] for suite in suites}
        if unknown:
            parser.error(f"unknown suite {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in suites)}")
        suites = [s for s in suites if s.name in options.suites or s.name.split()[0] in options.suites]
    else:
        # Every runner writes its list anew; one left from an earlier run must not stand in for a missing one.
        shutil.rmtree(VECTOR_LISTS, ignore_errors=True)
    RESULTS.mkdir(parents=True, exist_ok=True)

    def out(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    counts: dict[str, tuple[Count, float]] = {}
    for lanes in rounds(suites):
        threads = [threading.Thread(target=run_all, args=(lane, out, counts)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    closing = summary({suite.name: counts[suite.name] for suite in suites})
    out(f"\n== summary ==\n{closing}\n")
    return 0 if closing.endswith(", 0 failed") else 1


if __name__ == "__main__":
    sys.exit(main())
