"""Makes the helpers of this folder importable, chooses what runs, and checks all of memory between tests.

* Tests with the marker ``repeats`` are slow, or repeat others in another surrounding: they run with
  ``HOOKWEAVE_TEST_ALL=1`` only.
* After each test with the marker ``memory`` every object that the garbage collector knows is looked at, as a memory
  profiler does, before and after a collection. With ``HOOKWEAVE_TEST_MEMORY=1`` it is done in all modules, after every
  25 tests and after the last one: best together with ``PYTHONMALLOC=debug`` and ``-X dev``. With
  ``HOOKWEAVE_TEST_MEMORY=each`` it is done after each test, which takes three times as long and names the test that
  left a broken object.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

MEMORY: Final = os.environ.get("HOOKWEAVE_TEST_MEMORY", "")
# After how many tests memory is checked.
EVERY: Final = 25 if MEMORY == "1" else 1


def pytest_configure(config: pytest.Config) -> None:
    """Names the markers."""
    config.addinivalue_line("markers", "repeats: is slow or repeats another test; runs with HOOKWEAVE_TEST_ALL=1 only")
    config.addinivalue_line("markers", "memory: memory is checked after it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what only repeats."""
    if os.environ.get("HOOKWEAVE_TEST_ALL") == "1":
        return
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("repeats")])
    items[:] = [item for item in items if not item.get_closest_marker("repeats")]


@pytest.fixture(scope="session")
def _memory() -> Iterator[list[str]]:
    """The tests that ran since memory was checked; what pytest has made so far is not checked again and again."""
    gc.collect()
    gc.freeze()
    since: list[str] = []
    yield since
    check_memory(since)


@pytest.fixture(autouse=True)
def _checked_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails, or ends the process, where an object that is gone is still known to the collector."""
    if not MEMORY and not request.node.get_closest_marker("memory"):
        yield
        return
    since: list[str] = request.getfixturevalue("_memory")
    yield
    since.append(request.node.nodeid)
    if len(since) >= EVERY:
        check_memory(since)


def check_memory(since: list[str]) -> None:
    """Reads the type and counts the references of each object: what is gone has neither."""
    for _ in range(2):
        for value in gc.get_objects():
            assert sys.getrefcount(value) > 0 and type(value) is not None, f"broken by one of {since}"
        gc.collect()
    since.clear()
