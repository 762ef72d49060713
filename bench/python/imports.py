"""What importing the package adds to a program that has imported asyncio, in processes of their own."""

from __future__ import annotations

import subprocess
import sys

from harness import main

PROGRAM = """
import asyncio, time
began = time.perf_counter_ns()
from hookweave import HookClient, HookResponse
print(time.perf_counter_ns() - began)
"""


async def importing(count: int) -> float:
    """Starts interpreters, which measure the import alone."""
    return float(sum(int(subprocess.check_output([sys.executable, "-c", PROGRAM])) for _ in range(count)))


# One process takes longer than a usual sample.
main({"added to import asyncio": importing}, "hookweave", sample_seconds=0.1)
