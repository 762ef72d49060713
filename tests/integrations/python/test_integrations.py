"""Runs the checks around the real frameworks, whose models are scripts."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from checks import CHECKS, Run, parameters
from world import LIMIT

AGENTS = [importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob("agent_*.py"))]


def test_the_checks_are_those_of_the_list() -> None:
    listed = json.loads((Path(__file__).parents[1] / "checks.json").read_text("utf-8"))
    assert [check.__name__ for check in CHECKS] == listed["all"]


@pytest.mark.parametrize(("run", "check"), [one for agent in AGENTS for one in parameters(agent.run, agent.IMPOSSIBLE)])
def test_check(run: Run, check: Any) -> None:
    asyncio.run(asyncio.wait_for(check(run), LIMIT))
