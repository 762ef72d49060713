"""agent-hooks' conformance test kit, over an agent on hookweave: what passes, and by name what differs."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_hooks", reason="there is no wheel of agent-hooks-sdk for this system")

from agent_hooks.ctk.runner import VectorResult, load_vectors, run_vector

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "compat" / "agent_hooks"))

from harness import Harness

VECTORS: dict[str, dict[str, Any]] = {vector["id"].removeprefix("AH-CTK-"): vector for vector in load_vectors()}
# Each reason stands in docs/migration.md.
HEARD_AFTER_AN_ASK = "hooks after one that asks are heard before anybody is asked"
YES_OR_NO = "an approver says yes or no and rewrites nothing"
NOT_UNANIMOUS = "hooks need not agree: the strictest answer holds, and a refusal is final"
DIFFERS = {
    "030": HEARD_AFTER_AN_ASK,
    "086": YES_OR_NO,
    "087": NOT_UNANIMOUS,
    "088": NOT_UNANIMOUS,
    "099": HEARD_AFTER_AN_ASK,
    "103": YES_OR_NO,
    "121": NOT_UNANIMOUS,
}
# What the kit itself leaves out for a host that does not claim it.
NOT_CLAIMED = ("streaming/",)
CLAIMED = [number for number, vector in VECTORS.items() if not vector.get("part", "").startswith(NOT_CLAIMED)]


def result(number: str) -> VectorResult:
    return asyncio.run(run_vector(Harness(), VECTORS[number]))


@pytest.mark.parametrize("number", [number for number in CLAIMED if number not in DIFFERS])
def test_a_vector_holds(number: str) -> None:
    held = result(number)
    assert held.status == "pass", "\n".join(held.failures)


@pytest.mark.parametrize("number", DIFFERS)
def test_what_differs_still_differs(number: str) -> None:
    assert result(number).status == "fail", f"{number} holds now: {DIFFERS[number]} is no longer so"


def test_as_many_hold_as_the_documents_say() -> None:
    assert (len(CLAIMED), len(CLAIMED) - len(DIFFERS)) == (71, 64)


def test_the_kit_leaves_out_what_is_not_claimed() -> None:
    left = [number for number in VECTORS if number not in CLAIMED]
    assert left
    assert {result(number).status for number in left} == {"skip"}


def test_a_tool_runs_that_the_kit_forbids_only_where_its_host_has_other_rules_for_changes() -> None:
    forbidden = "was invoked but MUST NOT be"
    ran = [number for number in DIFFERS if any(forbidden in line for line in result(number).failures)]
    assert ran == ["087"]
