"""The demo notices when two languages decide, write or print something else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from demo import Run, check, unequal, without_times

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
        return Run(language, folder, printed)

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
