"""Fails when the top modules of a Rust crate import each other in a cycle."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*")
# `crate::name`, and the start of `crate::{first, second::{…}}`.
PATH = re.compile(r"\bcrate::(?:(?P<name>[a-z_][a-z0-9_]*)|(?P<group>\{))")
NAME = re.compile(r"\s*(?P<name>[a-z_][a-z0-9_]*)")


def modules_of(source: Path) -> dict[str, set[str]]:
    """The modules that each top module of a crate uses. A module's folder belongs to it; `lib.rs` is no module."""
    uses: dict[str, set[str]] = {}
    for file in sorted(source.rglob("*.rs")):
        name = file.relative_to(source).parts[0].removesuffix(".rs")
        if name not in ("lib", "main"):
            text = COMMENT.sub("", file.read_text(encoding="utf-8"))
            uses.setdefault(name, set()).update(used for used in used_in(text) if used != name)
    return {name: used & uses.keys() for name, used in uses.items()}


def used_in(text: str) -> Iterator[str]:
    """The first segments of all paths that begin at the crate."""
    for path in PATH.finditer(text):
        if path["name"] is not None:
            yield path["name"]
        else:
            yield from names_of_group(text, path.end())


def names_of_group(text: str, start: int) -> Iterator[str]:
    """The first segment of each path of a group, whose brace is open at `start`."""
    depth, begins = 1, True
    for index in range(start, len(text)):
        if begins and depth == 1 and (name := NAME.match(text, index)):
            yield name["name"]
        begins = text[index] == ","
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return


def cycle_of(uses: dict[str, set[str]]) -> list[str] | None:
    """A cycle of modules, each used by the one after it; the first one is named again at the end."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def main() -> int:
    """Checks the given crates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path, help="folders such as bindings-node/src")
    failed = False
    for source in parser.parse_args().sources:
        uses = modules_of(source)
        if not uses:
            parser.error(f"{source} has no modules")
        if cycle := cycle_of(uses):
            failed = True
            print(f"{source}: modules use each other in a cycle: {' <- '.join(cycle)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
