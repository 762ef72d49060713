"""The small examples are whole, run to the letter, and are found in their table."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import examples
from examples import LANGUAGES, Example, check

ROOT = Path(__file__).resolve().parent.parent.parent
KNOWN = examples.examples()
LONGEST = 90
"""Lines; a program that is longer is not one to be copied as a whole."""


@pytest.fixture
def made(tmp_path: Path) -> Example:
    folder = tmp_path / "greeting"
    folder.mkdir()
    (folder / "expected.txt").write_text("hello\n")
    return Example(folder)


def problem(example: Example, program: str) -> str | None:
    return check(example, "python", [sys.executable, "-c", program]).problem


def test_a_program_that_prints_what_is_expected_passes(made: Example) -> None:
    assert problem(made, "print('hello')") is None


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("print('hullo')", "+hullo"),
        ("print('hello'); raise SystemExit(3)", "exit code 3"),
    ],
)
def test_anything_else_fails(made: Example, program: str, shown: str) -> None:
    found = problem(made, program)
    assert found is not None
    assert shown in found


def test_a_program_that_does_not_end_fails(made: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "RUN_LIMIT_SECONDS", 0.1)
    assert problem(made, "import threading; threading.Event().wait()") == "did not end within 0.1 s"


def test_a_program_that_is_not_there_fails(made: Example) -> None:
    found = check(made, "python", [str(made.folder / "gone")]).problem
    assert found is not None
    assert "could not be started" in found


def test_an_example_without_what_it_needs_is_left_out_and_says_so(
    made: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "NEEDS", {"greeting": "no-such-program"})
    case = check(made, "python")
    assert (case.problem, case.skipped) == (None, "there is no no-such-program here")
    monkeypatch.setattr(examples, "NEEDS", {"greeting": Path(sys.executable).name})
    assert problem(made, "print('hello')") is None


def test_a_program_gets_a_copy_of_its_project_outside_of_the_checkout(made: Example) -> None:
    (made.folder / "project").mkdir()
    (made.folder / "project" / "word").write_text("hello")
    program = "import pathlib as p; w = p.Path('word'); print(w.read_text()); w.write_text(''); p.Path('x').touch()"
    assert problem(made, program) is None
    assert (made.folder / "project" / "word").read_text() == "hello"
    outside = f"import pathlib as p; print('hello' if not p.Path.cwd().is_relative_to({str(ROOT)!r}) else '')"
    assert problem(made, outside) is None


def test_nobodys_own_settings_are_in_reach(made: Example) -> None:
    program = "import pathlib as p; print('hello' if p.Path.home() == p.Path.cwd().parent else p.Path.home())"
    assert problem(made, program) is None


@pytest.mark.parametrize("example", KNOWN, ids=lambda example: example.name)
def test_an_example_is_small_and_in_python_and_typescript(example: Example) -> None:
    assert {"python", "node"} <= set(example.languages)
    for language in example.languages:
        program = (example.folder / LANGUAGES[language].file).read_text(encoding="utf-8")
        assert len(program.splitlines()) <= LONGEST
    assert example.expected.strip(), "it prints nothing"


def test_the_page_leads_to_every_example() -> None:
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for program in (ROOT / "examples").glob("*/main.ts"):
        assert f"]({program.parent.name}/README.md)" in page


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit_of_a_worker(tmp_path: Path) -> None:
    unit = tmp_path / "hookweave-worker@python-1.service"
    text = (ROOT / "examples" / "fleet" / "hookweave-worker@.service").read_text(encoding="utf-8")
    # What it starts is not installed here.
    unit.write_text(text.replace("/opt/hookweave/bin/python", sys.executable), encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # It may also complain about units of this machine.
    assert [line for line in done.stderr.splitlines() if unit.name in line] == []
    assert done.returncode == 0, done.stderr
