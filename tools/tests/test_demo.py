"""The demo notices when two languages decide, write or print something else."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from demo import EXISTING_HOOKS, GUARDED_AGENT, Example, Run, check, start, unequal, without_times

CALLS = 41
TABLE = (
    "  1 Bash      ls      log        continue    12.3\n\n3 dispatches; their hooks took 40 µs, file work included\n"
)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Run]:
    def make(
        language: str, *, decision: str = "allow", log: str = "a\n", printed: str = TABLE, calls: int = CALLS
    ) -> Run:
        folder = tmp_path / language
        (folder / "files").mkdir(parents=True)
        (folder / "log.jsonl").write_text(log)
        outcome = {"decision": decision, "trace": [{"hook": "log", "duration_us": len(language)}]}
        line = {"call": 1, "verdict": decision, "outcomes": [outcome]}
        (folder / "records.jsonl").write_text((json.dumps(line) + "\n") * calls)
        return Run(GUARDED_AGENT, language, folder, printed)

    return make


def problems(*runs: Run) -> list[str]:
    return [case.problem for case in check(list(runs)) if case.problem]


def test_runs_that_differ_in_times_only_are_alike(run: Callable[..., Run]) -> None:
    slower = TABLE.replace("12.3", "99.9").replace("took 40", "took 4000")
    assert problems(run("Python"), run("Node", printed=slower), run("Rust")) == []


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"decision": "block"}, 'call 1.outcomes[0].decision: Python has "allow", Rust "block"'),
        ({"log": "b\n"}, "log.jsonl differs"),
        ({"printed": TABLE.replace("continue", "allow   ")}, "tables differ"),
        ({"calls": CALLS + 1}, "recorded 41 calls, Rust 42"),
    ],
)
def test_a_difference_fails_the_demo(run: Callable[..., Run], changed: dict[str, object], shown: str) -> None:
    [problem] = problems(run("Python"), run("Rust", **changed))
    assert shown in problem


def test_a_table_that_ends_early_is_a_difference(run: Callable[..., Run]) -> None:
    [problem] = problems(run("Python"), run("Rust", printed=TABLE.splitlines()[0]))
    assert "tables differ" in problem


def test_where_a_run_lies_makes_no_difference(run: Callable[..., Run]) -> None:
    runs = [run("Python"), run("Rust")]
    for one in runs:
        records = one.folder / "records.jsonl"
        records.write_text(records.read_text().replace('"log"', json.dumps(str(one.folder / "project"))))
    assert problems(*(Run(GUARDED_AGENT, r.language, r.folder, f"{r.folder}/x\n{TABLE}") for r in runs)) == []


def test_a_program_gets_its_own_copy_of_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("demo.RUNS", tmp_path)
    script = "import pathlib, sys; pathlib.Path(sys.argv[1], 'project', '.claude', 'log.jsonl').write_text('x')"
    left = [start(EXISTING_HOOKS, language, [sys.executable, "-c", script]) for language in ("Python", "Rust")]
    assert [run.problem for run in left] == [None, None]
    assert [run.files["project/.claude/log.jsonl"] for run in left] == [b"x", b"x"]
    assert not (EXISTING_HOOKS.sources / "project" / ".claude" / "log.jsonl").exists()


def test_programs_that_agree_on_something_wrong_fail(run: Callable[..., Run]) -> None:
    made = run("Python")
    steps = (EXISTING_HOOKS.sources / EXISTING_HOOKS.steps).read_text(encoding="utf-8").splitlines()
    lines = [{"event": n, "outcome": {"decision": json.loads(s)["expect"]}} for n, s in enumerate(steps, 1)]
    records = made.folder / "records.jsonl"
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert problems(Run(EXISTING_HOOKS, "Python", made.folder, "")) == []
    lines[2]["outcome"] = {"decision": "continue"}
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    [problem] = problems(Run(EXISTING_HOOKS, "Python", made.folder, ""))
    assert problem == "event 3 came to `continue`, `block` is expected"


@pytest.mark.parametrize("example", [GUARDED_AGENT, EXISTING_HOOKS], ids=lambda example: example.name)
def test_the_lists_are_long_enough(example: Example) -> None:
    assert len((example.sources / example.steps).read_text(encoding="utf-8").splitlines()) >= example.fewest


def test_a_file_that_only_one_wrote_is_a_difference(run: Callable[..., Run]) -> None:
    one, other = run("Python"), run("Rust")
    (other.folder / "files" / "extra.py").write_text("x\n")
    [problem] = problems(one, other)
    assert "files/extra.py" in problem


def test_a_run_that_skipped_its_work_fails(run: Callable[..., Run]) -> None:
    assert problems(run("Python", calls=3)) == ["only 3 calls, 40 are the least"]


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ({"a": 1}, {"a": True}, ".a"),
        ({"a": 1}, {"a": 1.0}, ".a"),
        ({"a": []}, {}, ".a"),
        ([1], [1, 2], ""),
        (None, 0, ""),
    ],
)
def test_values_are_compared_by_type_too(one: object, other: object, place: str) -> None:
    assert [found[0] for found in unequal(one, other)] == [place]


def test_times_are_left_out_at_any_depth() -> None:
    assert without_times({"a": [{"duration_us": 1, "b": 2}], "duration_us": 3}) == {"a": [{"b": 2}]}
