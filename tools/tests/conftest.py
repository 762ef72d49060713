"""Lets the tests import the programs of tools/ and bench/, and leaves out what `make test-all` alone runs."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "repeats: slow, or repeats a test in another surrounding: for `make test-all`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("HOOKWEAVE_TEST_ALL") != "1":
        left_out = [item for item in items if item.get_closest_marker("repeats")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
