"""Counts of passed and failed tests, read from what the test runners report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

LIBTEST_SUMMARY = re.compile(
    r"^test result: (?:ok|FAILED)\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<ignored>\d+) ignored;"
)
# `test NAME ... FAILED`, or with --quiet `....NAME --- FAILED`.
LIBTEST_FAILURE = re.compile(r"^(?:test |[.F]*)(?P<name>\S.*?) (?:\.\.\.|---) FAILED$")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Count:
    """How many tests of a suite passed, failed and were skipped, and the names of the failed.

    A broken one crashed, hung or ran nothing: which of its tests failed cannot be told.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    is_broken: bool = False

    @classmethod
    def broken(cls, why: str) -> Count:
        """The count of a suite that did not run to its end."""
        return cls(failed=1, failures=[why], is_broken=True)

    def add(self, other: Count) -> None:
        """Adds another suite's figures to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        self.is_broken |= other.is_broken

    def fail(self, name: str) -> None:
        """Counts one more failure."""
        self.failed += 1
        self.failures.append(name)


@dataclass(frozen=True)
class Case:
    """One check of a tool of this folder: its name and, when it failed or was skipped, why."""

    name: str
    problem: str | None = None
    skipped: str | None = None


def count_libtest(lines: Iterable[str]) -> Count:
    """Reads the summary lines of `cargo test`, one per test program and one per set of doc tests."""
    count = Count()
    for line in lines:
        text = ANSI.sub("", line).rstrip()
        if summary := LIBTEST_SUMMARY.match(text):
            count.passed += int(summary["passed"])
            count.failed += int(summary["failed"])
            count.skipped += int(summary["ignored"])
        elif failure := LIBTEST_FAILURE.match(text):
            count.failures.append(failure["name"])
    return count


def count_junit(path: Path) -> Count:
    """Reads a JUnit report as pytest, node and this folder's tools write it; no file is a count of nothing."""
    count = Count()
    if not path.exists():
        return count
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        return Count.broken(f"{path.name} is no JUnit report: {error}")
    for case in root.iter("testcase"):
        name = " > ".join(part for part in (case.get("classname"), case.get("name")) if part)
        if case.find("failure") is not None or case.find("error") is not None:
            count.fail(name)
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return count


def write_junit(path: Path, suite: str, cases: Iterable[Case]) -> None:
    """Writes cases as a JUnit report."""
    root = ET.Element("testsuite", name=suite)
    for case in cases:
        element = ET.SubElement(root, "testcase", classname=suite, name=case.name)
        if case.problem is not None:
            ET.SubElement(element, "failure", message=case.problem.splitlines()[0]).text = case.problem
        elif case.skipped is not None:
            ET.SubElement(element, "skipped", message=case.skipped)
    path.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
