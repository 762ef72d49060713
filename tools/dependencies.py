"""Fails when a crate needs more other crates than its limit; a limit falls with what it limits.

A program that depends on hookweave compiles and trusts all of them. Counted are the crates that Cargo builds on Linux
for a crate, those that run in the compiler and the crate itself included.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "x86_64-unknown-linux-gnu"
# Before you raise one, look for the crate that brought the others: `cargo tree -p CRATE -e normal`.
LIMITS = {"hookweave-machine": 106, "hookweave": 173}


def tree(crate: str) -> str:
    """What Cargo prints of the crates that a crate is built with, one a line, some of them more than once."""
    command = ["cargo", "tree", "--offline", "--prefix", "none", "--edges", "normal", "--target", PLATFORM]
    return subprocess.run(
        [*command, "--package", crate], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def crates(printed: str) -> set[str]:
    """The names and versions in what Cargo prints; a repeated crate has `(*)` at its end."""
    return {" ".join(line.split()[:2]) for line in printed.splitlines() if line.strip()}


def excess(crate: str, count: int, limit: int) -> Iterator[str]:
    """What is beyond the limit, or so far below that the limit falls."""
    if count > limit:
        more = f"{count - limit} more than its limit"
        yield f"{crate} needs {count} crates, {more}: see `cargo tree -p {crate} -e normal`"
    elif count < limit:
        yield f"{crate} needs {count} crates: lower its limit in tools/dependencies.py from {limit}"


def main() -> int:
    """Prints what is wrong."""
    wrong = [text for crate, limit in LIMITS.items() for text in excess(crate, len(crates(tree(crate))), limit)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
