"""Hooks that dispatch, as deep as they may and in every way, while every thread for hooks is taken: none hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nested_hooks import CHAINS, LEVELS, SAME

PROGRAM = Path(__file__).with_name("nested_hooks.py")


def ran(name: str) -> dict[str, int]:
    """How many hooks ran for each kind of caller; the program ends itself when something hangs."""
    done = subprocess.run([sys.executable, PROGRAM, name], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize("name", SAME)
def test_levels_that_nest_in_the_same_way(name: str) -> None:
    counts = ran(name)
    assert set(counts) >= {"threads", "asyncio"}
    assert set(counts.values()) == {CHAINS * LEVELS}


@pytest.mark.parametrize("seed", range(4))
def test_levels_that_nest_in_any_way(seed: int) -> None:
    # The last level of each chain is a command, which counts nothing.
    assert ran(f"mixed {seed}") == dict.fromkeys(["threads", "asyncio", "trio"], CHAINS * (LEVELS - 1))
