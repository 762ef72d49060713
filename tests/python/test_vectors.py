"""Every conformance vector, each in one style in turn, or in every style that can do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import ALL
from vectors.run import STYLES, cases, rotated, run_case, styles

LIST = Path(__file__).resolve().parents[2] / "target" / "vectors" / "python.txt"

CASES = cases()
RUNS = list(rotated([case for case in CASES if "python" not in case.get("not", {})], styles))


@pytest.fixture(scope="module")
def ran() -> Iterator[set[str]]:
    """Collects the cases that ran and writes the list that is compared with the other languages'."""
    done: set[str] = set()
    yield done
    passed_over = {case["id"]: case["not"]["python"] for case in CASES if "python" in case.get("not", {})}
    lines = [*done, *(f"{name} # {reason}" for name, reason in passed_over.items())]
    LIST.parent.mkdir(parents=True, exist_ok=True)
    LIST.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home of the tests' own: a login shell would read the developer's profile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.mark.parametrize(("case", "style"), RUNS, ids=[f"{case['id']}-{style}" for case, style in RUNS])
def test_vector(case: dict[str, Any], style: str, ran: set[str]) -> None:
    """The case holds."""
    ran.add(case["id"])
    run_case(case, style)


@pytest.mark.skipif(ALL, reason="each case runs in all of its styles")
def test_a_case_runs_once_and_each_style_has_all_kinds() -> None:
    """A style that had only some topics would not be tested in the others."""
    assert len(RUNS) == len({case["id"] for case, _ in RUNS})
    plain = [(case["id"].split("/")[0], style) for case, style in RUNS if len(list(styles(case))) == len(STYLES)]
    many = {topic for topic, count in Counter(topic for topic, _ in plain).items() if count >= 2 * len(STYLES)}
    assert len(many) > 20
    assert {(topic, style) for topic in many for style in STYLES} <= set(plain)


def test_every_case_runs_in_some_style() -> None:
    """A case that no style can do would pass without being tested."""
    tested = {case["id"] for case, _ in RUNS}
    assert [case["id"] for case in CASES if case["id"] not in tested and "python" not in case.get("not", {})] == []
