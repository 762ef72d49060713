"""Every vector of sessions, in turn or each: with hooks that answer at once, with coroutines, on trio, in halves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vectors.run import rotated
from vectors.sessions import STYLES, run_session_case, session_cases

LIST = Path(__file__).resolve().parents[2] / "target" / "vectors" / "sessions-python.txt"

CASES = session_cases()


def able(case: dict[str, Any]) -> tuple[str, ...]:
    """The styles of a case; an approver that takes its time has to be awaited."""
    return STYLES[:-1] if '"hangs"' in json.dumps(case.get("approver")) else STYLES


RUNS = list(rotated(CASES, able))


@pytest.fixture(scope="module")
def ran() -> Iterator[set[str]]:
    """Collects the cases that ran and writes the list that is compared with the other languages'."""
    done: set[str] = set()
    yield done
    LIST.parent.mkdir(parents=True, exist_ok=True)
    LIST.write_text("".join(f"{name}\n" for name in sorted(done)), encoding="utf-8")


@pytest.mark.parametrize(("case", "style"), RUNS, ids=[f"{case['id']}-{style}" for case, style in RUNS])
def test_vector(case: dict[str, Any], style: str, ran: set[str]) -> None:
    """The case holds."""
    ran.add(case["id"])
    run_session_case(case, style)


def test_there_are_cases() -> None:
    """A folder that was moved would pass without being tested."""
    assert len(CASES) > 100
