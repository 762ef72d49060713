"""What an audit log adds to a dispatch of one hook that says nothing."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from harness import main
from subjects import EVENT, PAYLOAD, client_with, silent

plain, audited = client_with(silent, 1), client_with(silent, 1)
FOLDER = tempfile.TemporaryDirectory()
# What is measured is what a dispatch pays, not how long the writer takes for the records of a whole sample.
audited.configure_audit({"file": Path(FOLDER.name) / "audit.jsonl", "queue": 1_000_000})


async def added(count: int) -> float:
    """Nanoseconds that so many dispatches take longer with a log than without."""
    took = []
    for client in (plain, audited):
        began = time.perf_counter_ns()
        for _ in range(count):
            await client.dispatch(EVENT, PAYLOAD)
        took.append(time.perf_counter_ns() - began)
    audited.flush_audit(60)
    return took[1] - took[0]


main({"added to a dispatch by an audit log": added}, sample_seconds=0.01)
