"""Compares the picture of the crates in ARCHITECTURE.md with what Cargo builds them from.

An arrow leads from a crate to one that it depends on. A dependency that the picture does not show is refused, and so is
an arrow without a dependency: whoever adds one draws it, and a reviewer sees it. Dependencies of tests are left out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
PICTURE = re.compile(r"<!-- crates:start -->\s*```mermaid\n(?P<lines>.*?)```\s*<!-- crates:end -->", re.DOTALL)
ARROW = re.compile(r"^\s*(?P<from>[\w-]+) --> (?P<to>[\w-]+(?: & [\w-]+)*)$")
# What is shown: the core, and the drivers that are built on it.
DRIVERS = {"hookweave-cli", "hookweave-node", "hookweave-python"}

Arrows = set[tuple[str, str]]


def drawn(page: str) -> Arrows:
    """The arrows of the picture; `a --> b & c` are two."""
    picture = PICTURE.search(page)
    if picture is None:
        raise SystemExit("crate_order: ARCHITECTURE.md has no picture between `crates:start` and `crates:end`")
    found = (ARROW.match(line) for line in picture["lines"].splitlines())
    return {(arrow["from"], to) for arrow in found if arrow for to in arrow["to"].split(" & ")}


def built(metadata: dict[str, object]) -> Arrows:
    """The dependencies between the crates that the picture shows, by their names without `hookweave-`."""
    packages = metadata["packages"]
    assert isinstance(packages, list)
    core = {p["name"] for p in packages if Path(p["manifest_path"]).is_relative_to(ROOT / "core")}
    shown = core | DRIVERS
    return {
        (short(package["name"]), short(dependency["name"]))
        for package in packages
        if package["name"] in shown
        for dependency in package["dependencies"]
        if dependency["kind"] is None and dependency["name"] in shown
    }


def short(name: str) -> str:
    """A crate's name in the picture."""
    return name.removeprefix("hookweave-")


def differences(picture: Arrows, crates: Arrows) -> list[str]:
    """What the picture and the crates do not agree on."""
    missing = [f"{a} depends on {b}, and no arrow shows it" for a, b in sorted(crates - picture)]
    return missing + [
        f"an arrow leads from {a} to {b}, and there is no dependency" for a, b in sorted(picture - crates)
    ]


def main() -> int:
    """Prints the differences."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    wrong = differences(drawn(PAGE.read_text(encoding="utf-8")), built(metadata))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
