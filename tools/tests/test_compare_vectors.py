"""The lists of vectors differ loudly."""

from pathlib import Path

import compare_vectors
import pytest
from compare_vectors import compare, written_cases


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_vectors, "ROOT", tmp_path)


CASES: dict[str, dict[str, str]] = {"a/one": {}, "a/two": {"node": "no tuples"}}


@pytest.mark.parametrize(
    ("host", "text", "problem"),
    [
        ("rust", "a/one\na/two\n", None),
        ("rust", "a/one\n", "not run"),
        ("rust", "a/one\na/two # too hard\n", "skipped without saying so"),
        ("rust", "a/one\na/two\na/three\n", "unknown"),
        ("node", "a/one\na/two # no tuples\n", None),
        ("node", "a/one\n", None),
        ("node", "a/one\na/two\n", "although the vector says it cannot"),
    ],
)
def test_a_list_is_compared(tmp_path: Path, host: str, text: str, problem: str | None) -> None:
    path = tmp_path / f"{host}.txt"
    path.write_text(text)
    found = compare(host, CASES, path)
    assert (found is None) if problem is None else (found is not None and problem in found)


def test_a_missing_list_is_a_problem(tmp_path: Path) -> None:
    found = compare("python", CASES, tmp_path / "python.txt")
    assert found is not None
    assert "wrote no list" in found


def test_an_id_used_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"hookweave": 1, "topic": "a", "cases": [{"id": "x"}, {"id": "x"}]}')
    with pytest.raises(ValueError, match="used twice"):
        written_cases(tmp_path)
