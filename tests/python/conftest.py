"""Makes the helpers of this folder importable, and checks all of memory between tests when it is asked to.

With ``HOOKWEAVE_TEST_MEMORY=1`` every object that the garbage collector knows is looked at after every 25 tests and
after the last one, as a memory profiler does, before and after a collection: best together with
``PYTHONMALLOC=debug`` and ``-X dev``. ``HOOKWEAVE_TEST_MEMORY=each`` does it after each test, which takes three times
as long and names the test that left a broken object.
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

# After how many tests memory is checked; 0 for never.
EVERY: Final = {"1": 25, "each": 1}.get(os.environ.get("HOOKWEAVE_TEST_MEMORY", ""), 0)


@pytest.fixture(scope="session", autouse=EVERY > 0)
def _memory() -> Iterator[list[str]]:
    """The tests that ran since memory was checked; what pytest has made so far is not checked again and again."""
    gc.collect()
    gc.freeze()
    since: list[str] = []
    yield since
    check_memory(since)


@pytest.fixture(autouse=EVERY > 0)
def _checked_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails, or ends the process, where an object that is gone is still known to the collector."""
    yield
    since: list[str] = request.getfixturevalue("_memory")
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
