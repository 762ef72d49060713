"""The closing line is right for every result of the suites."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from progress import Progress
from results import Case, Count, count_junit, count_libtest, write_junit
from run_tests import Suite, Table, judge, run, run_again

LIBTEST = """\
running 3 tests
test folding ... ok
test order::priority ... FAILED
test slow ... ignored

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests hookweave
\x1b[32mtest result: ok\x1b[0m. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.52s
"""


@pytest.fixture
def progress() -> Progress:
    """Writes to nowhere."""
    return Progress(io.StringIO())


@pytest.fixture(autouse=True)
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keeps the outputs of the suites here apart from those of the suite that runs them."""
    monkeypatch.setattr("run_tests.RESULTS", tmp_path / "results")
    monkeypatch.setattr("run_tests.VECTOR_LISTS", tmp_path / "vectors")


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
    count = count_junit(report)
    assert (count.failed, count.is_broken) == (1, True)


def test_a_suite_that_ran_nothing_failed(progress: Progress) -> None:
    count = run(python_suite("pass"), progress)
    assert count.failures == ["ran no test"]


def test_a_suite_that_crashed_after_passing_tests_failed(progress: Progress) -> None:
    code = "print('test result: ok. 3 passed; 0 failed; 0 ignored; x'); raise SystemExit(134)"
    count = run(python_suite(code), progress)
    assert (count.passed, count.failed) == (3, 1)
    assert "134" in count.failures[0]


@pytest.mark.parametrize(("code", "passed", "failed"), [(0, 1, 0), (1, 0, 1)])
def test_one_check_is_decided_by_its_exit_code(code: int, passed: int, failed: int, progress: Progress) -> None:
    suite = Suite("lists", [sys.executable, "-c", f"raise SystemExit({code})"], one_check=True)
    count = run(suite, progress)
    assert (count.passed, count.failed) == (passed, failed)


def test_a_report_left_from_an_earlier_run_does_not_count(tmp_path: Path, progress: Progress) -> None:
    report = tmp_path / "report.xml"
    write_junit(report, "old", [Case("old")])
    count = run(python_suite("pass", report), progress)
    assert (count.passed, count.failed) == (0, 1)


def test_a_program_that_is_not_there_failed(progress: Progress) -> None:
    count = run(Suite("nothing", ["/nonexistent/program"]), progress)
    assert count.failed == 1


def test_a_hang_is_a_failure_even_when_tests_passed() -> None:
    assert judge(Count(passed=4), -9, silent=True) is not None


# One test has failed when the runner is killed; run again, it ends well.
KILLED = """
import os, pathlib, signal
path = pathlib.Path({path!r})
if path.exists():
    print("test result: ok. 1 passed; 0 failed; 0 ignored;")
else:
    path.touch()
    print("first --- FAILED", flush=True)
    print("test result: FAILED. 5 passed; 1 failed; 0 ignored;", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
"""


def test_a_suite_that_was_killed_is_not_mended_by_a_second_run(progress: Progress, tmp_path: Path) -> None:
    suite = python_suite(KILLED.format(path=str(tmp_path / "seen")))
    table = Table({"python": run(suite, progress)})
    run_again([suite], table, progress)
    assert "FAILED python: ended by signal 15" in table.text().splitlines()
    assert table.second_runs == []


def test_the_closing_line_is_the_sum_and_stands_alone() -> None:
    failed = Count(passed=1, failed=1, failures=["b"])
    text = Table({"rust": Count(passed=2, skipped=1), "python": failed}, {"rust": 0.1, "python": 0.2}).text()
    assert text.splitlines()[-1] == "3 passed, 1 failed"
    assert "FAILED python: b" in text


# Two tests fail; a program that finds the file beside it passes the first one.
FLAKY = """
import pathlib, sys
path = pathlib.Path({path!r})
print("first --- FAILED" * (not path.exists()))
print("second --- FAILED")
print(f"test result: FAILED. 5 passed; {{1 if path.exists() else 2}} failed; 0 ignored;")
path.touch()
raise SystemExit(101)
"""


def test_what_passes_alone_is_named_and_the_rest_has_failed(progress: Progress, tmp_path: Path) -> None:
    suite = python_suite(FLAKY.format(path=str(tmp_path / "seen")))
    table = Table({"python": run(suite, progress)})
    assert table.counts["python"].failures == ["first", "second"]
    run_again([suite], table, progress)
    lines = table.text().splitlines()
    assert "needed a second run: python: first" in lines and "FAILED python: second" in lines
    assert lines[-1] == "6 passed, 1 failed"


def test_a_second_run_leaves_the_lists_of_vectors_as_the_first_made_them(progress: Progress, tmp_path: Path) -> None:
    listed = tmp_path / "vectors" / "python.txt"
    listed.parent.mkdir()
    listed.write_text("first\nsecond\n")
    code = f"open({str(listed)!r}, 'w').write('second'); print('test result: ok. 1 passed; 0 failed; 0 ignored;')"
    table = Table({"python": Count(passed=1, failed=1, failures=["second"])})
    run_again([python_suite(code)], table, progress)
    assert listed.read_text() == "first\nsecond\n"


@pytest.mark.parametrize("code", ["pass", "print('test result: ok. 1 passed; 0 failed; 0 ignored;')"])
def test_a_second_run_that_did_not_run_them_all_excuses_nothing(code: str, progress: Progress) -> None:
    suite = python_suite(code)
    table = Table({"python": Count(passed=1, failed=2, failures=["a", "b"])})
    run_again([suite], table, progress)
    assert table.text().splitlines()[-1] == "1 passed, 2 failed"


def test_a_suite_that_crashed_gets_no_second_run(progress: Progress) -> None:
    suite = python_suite("print('test result: ok. 1 passed; 0 failed; 0 ignored;')")
    table = Table({"python": Count.broken("exit code -11")})
    run_again([suite], table, progress)
    assert table.text().splitlines()[-1] == "0 passed, 1 failed"


@pytest.mark.parametrize(("second_runs", "failed"), [(3, 0), (4, 1)])
def test_many_tests_that_pass_alone_are_no_accident(second_runs: int, failed: int) -> None:
    table = Table({"python": Count(passed=9)}, second_runs=[str(number) for number in range(second_runs)])
    assert table.text().splitlines()[-1] == f"9 passed, {failed} failed"


def test_a_suite_says_how_far_it_is(progress: Progress) -> None:
    with progress.watch("python") as watched:
        for line in ["......  [ 43%]\n", "test result: ok. 3 passed; 0 failed; 0 ignored;\n"]:
            assert watched.saw(line) == line
        assert watched.shown(watched.began + 65.5) == "python 43 % 1:05"


def test_only_the_failed_tests_run_again() -> None:
    suite = replace(python_suite("pass"), again=lambda failed: ["run", *failed])
    assert suite.only(["a", "b"]).command == ["run", "a", "b"]
