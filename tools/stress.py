"""Runs `make test` on a busy machine: four loops and a writer to the disk beside it, on two cores and then on one.

What fails there counts, though it may pass when it is run alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOOPS = 4
BUSY = "while True: pass"
# Writes and throws away 64 MB again and again, each time down to the disk.
WRITER = """
import os, sys
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
        os.fsync(file.fileno())
"""


@contextmanager
def load() -> Iterator[None]:
    """Keeps the machine busy."""
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        programs = [[sys.executable, "-c", BUSY]] * LOOPS
        programs.append([sys.executable, "-c", WRITER, str(Path(folder) / "written")])
        started = [subprocess.Popen(program) for program in programs]
        try:
            yield
        finally:
            for process in started:
                process.kill()
                process.wait()


def main() -> int:
    """Runs the rounds and says what each came to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often on two cores")
    parser.add_argument("--one-core", type=int, default=1, metavar="ROUNDS", help="how often on one core")
    parser.add_argument("arguments", nargs="*", help="for tools/run_tests.py: `--node PROGRAM`, names of suites")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    results = []
    for count in [2] * options.rounds + [1] * options.one_core:
        os.sched_setaffinity(0, cores[:count])
        began = time.monotonic()
        with load():
            tests = [sys.executable, "tools/run_tests.py", "--once", *options.arguments]
            done = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr, flush=True)
        minutes = (time.monotonic() - began) / 60
        results.append(
            (done.returncode, f"cores: {count}, {minutes:.0f} minutes: {done.stdout.strip().splitlines()[-1]}")
        )
    print("\n".join(line for _, line in results))
    return int(any(code for code, _ in results))


if __name__ == "__main__":
    sys.exit(main())
