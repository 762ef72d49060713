"""Makes the helpers of this folder importable, and looks at all of memory after every test when it is asked to.

With ``HOOKWEAVE_TEST_MEMORY=1`` every object that the garbage collector knows is looked at after each test, as a memory
profiler does, before and after a collection: best together with ``PYTHONMALLOC=debug`` and ``-X dev``.
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


LOOKS: Final = os.environ.get("HOOKWEAVE_TEST_MEMORY") == "1"


@pytest.fixture(scope="session", autouse=LOOKS)
def _without_the_tests_own() -> None:
    """What pytest has made so far is not looked at again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=LOOKS)
def _whole_memory() -> Iterator[None]:
    """Fails, or ends the process, where an object that is gone is still known to the collector."""
    yield
    for _ in range(2):
        for one in gc.get_objects():
            # Its type is read, and its references are counted: what is gone has neither.
            assert sys.getrefcount(one) > 0 and type(one) is not None
        gc.collect()
