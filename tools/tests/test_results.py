"""The closing line is right for every result of the suites."""

import sys
from pathlib import Path

import pytest
from results import Case, Count, count_junit, count_libtest, write_junit
from run_tests import Suite, judge, run, summary

LIBTEST = """\
running 3 tests
test folding ... ok
test order::priority ... FAILED
test slow ... ignored

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests hookweave
\x1b[32mtest result: ok\x1b[0m. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.52s
"""


def ignore(_: str) -> None:
    """Takes a suite's output and drops it."""


def python_suite(code: str, report: Path | None = None) -> Suite:
    return Suite("python", [sys.executable, "-c", code], report)


def test_libtest_summaries_add_up() -> None:
    count = count_libtest(LIBTEST.splitlines())
    assert (count.passed, count.failed, count.skipped) == (8, 1, 1)
    assert count.failures == ["order::priority"]


@pytest.mark.parametrize("line", ["order::priority --- FAILED", "....order::priority --- FAILED"])
def test_quiet_libtest_failures_are_named(line: str) -> None:
    assert count_libtest([line]).failures == ["order::priority"]


def test_junit_counts_passed_failed_errored_and_skipped(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        "<testcase name='a'/><testcase name='b'><failure/></testcase>"
        "<testsuite><testcase classname='c' name='d'><error/></testcase><testcase name='e'><skipped/></testcase>"
        "</testsuite></testsuite></testsuites>"
    )
    count = count_junit(report)
    assert (count.passed, count.failed, count.skipped) == (1, 2, 1)
    assert count.failures == ["b", "c > d"]


def test_own_reports_are_read_back(tmp_path: Path) -> None:
    report = tmp_path / "deep" / "report.xml"
    write_junit(report, "suite", [Case("fine"), Case("broken", "why\nmore"), Case("left", skipped="no shell")])
    count = count_junit(report)
    assert (count.passed, count.failed, count.skipped) == (1, 1, 1)


def test_a_report_that_is_no_xml_is_a_failure(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text("<testsuites><testcase")
    assert count_junit(report).failed == 1


def test_a_suite_that_ran_nothing_failed() -> None:
    count = run(python_suite("pass"), ignore)
    assert count.failures == ["ran no test"]


def test_a_suite_that_crashed_after_passing_tests_failed() -> None:
    code = "print('test result: ok. 3 passed; 0 failed; 0 ignored; x'); raise SystemExit(134)"
    count = run(python_suite(code), ignore)
    assert (count.passed, count.failed) == (3, 1)
    assert "134" in count.failures[0]


@pytest.mark.parametrize(("code", "passed", "failed"), [(0, 1, 0), (1, 0, 1)])
def test_one_check_is_decided_by_its_exit_code(code: int, passed: int, failed: int) -> None:
    suite = Suite("lists", [sys.executable, "-c", f"raise SystemExit({code})"], one_check=True)
    count = run(suite, ignore)
    assert (count.passed, count.failed) == (passed, failed)


def test_a_report_left_from_an_earlier_run_does_not_count(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    write_junit(report, "old", [Case("old")])
    count = run(python_suite("pass", report), ignore)
    assert (count.passed, count.failed) == (0, 1)


def test_a_program_that_is_not_there_failed() -> None:
    count = run(Suite("nothing", ["/nonexistent/program"]), ignore)
    assert count.failed == 1


def test_a_hang_is_a_failure_even_when_tests_passed() -> None:
    count = Count(passed=4)
    judge(count, -9, timed_out=True)
    assert count.failed == 1


def test_the_closing_line_is_the_sum_and_stands_alone() -> None:
    failed = Count(passed=1, failed=1, failures=["b"])
    text = summary({"rust": (Count(passed=2, skipped=1), 0.1), "python": (failed, 0.2)})
    assert text.splitlines()[-1] == "3 passed, 1 failed"
    assert "FAILED python: b" in text
