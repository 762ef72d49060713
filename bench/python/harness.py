"""Measures variants in rounds that a parent process asks for, so that programs and languages can be interleaved.

Protocol: the program prints one JSON line when it is ready; for every line on its standard input it measures
each variant once and prints one JSON line with nanoseconds per dispatch.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version

# Does so many dispatches; one that gives nanoseconds back has measured by itself.
Variant = Callable[[int], Awaitable[float | None]]
SAMPLE_SECONDS = 0.02
WARM_UP_SECONDS = 0.2


async def calibrate(run: Variant, sample_seconds: float) -> int:
    """Warms a variant up and finds how many dispatches fill one sample."""
    count, deadline = 1, time.perf_counter() + WARM_UP_SECONDS
    while True:
        start = time.perf_counter()
        await run(count)
        took = time.perf_counter() - start
        if time.perf_counter() > deadline and took > sample_seconds / 8:
            return max(1, round(count * sample_seconds / took))
        if took < sample_seconds / 4:
            count *= 2


async def serve(variants: Mapping[str, Variant], packages: tuple[str, ...], sample_seconds: float) -> None:
    """Answers the parent's requests until it closes the pipe."""
    counts = {name: await calibrate(run, sample_seconds) for name, run in variants.items()}
    gc.collect()
    versions = {name: version(name) for name in packages}
    print(json.dumps({"ready": list(variants), "versions": versions}), flush=True)
    while sys.stdin.readline():
        sample = {}
        for name, run in variants.items():
            start = time.perf_counter_ns()
            own = await run(counts[name])
            sample[name] = (time.perf_counter_ns() - start if own is None else own) / counts[name]
        print(json.dumps(sample), flush=True)


def main(variants: Mapping[str, Variant], *packages: str, sample_seconds: float = SAMPLE_SECONDS) -> None:
    """Serves the variants on an event loop of its own."""
    asyncio.run(serve(variants, packages, sample_seconds))
