"""Runs the checks around the real frameworks, whose models are scripts."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest

from checks import Run, parameters
from conftest import adapters
from world import LIMIT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    agents = [importlib.import_module(f"agent_{name}") for name in adapters(metafunc.config)]
    metafunc.parametrize(("run", "check"), [one for agent in agents for one in parameters(agent.run, agent.IMPOSSIBLE)])


def test_check(run: Run, check: Any) -> None:
    asyncio.run(asyncio.wait_for(check(run), LIMIT))
