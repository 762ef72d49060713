"""Runs the checks around the real frameworks, whose models are scripts."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from checks import CHECKS, Run, parameters
from conftest import adapters
from world import LIMIT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" not in metafunc.fixturenames:
        return
    agents = [importlib.import_module(f"agent_{name}") for name in adapters(metafunc.config)]
    metafunc.parametrize(("run", "check"), [one for agent in agents for one in parameters(agent.run, agent.IMPOSSIBLE)])


def test_the_checks_are_those_of_the_list() -> None:
    listed = json.loads((Path(__file__).parents[1] / "checks.json").read_text("utf-8"))
    assert [check.__name__ for check in CHECKS] == listed["all"]


def test_check(run: Run, check: Any) -> None:
    asyncio.run(asyncio.wait_for(check(run), LIMIT))
