"""Writes the public API of the Rust crate to ``core/api.txt``, so that a change of it shows in a diff.

It fails where a signature mentions a type of a crate below that the published crate does not export: a user could get
one and not name it. The compiler's `unnameable_types` finds the same within one crate.

``python tools/rust_api.py [--check]`` has rustdoc describe the crates of the core as JSON and `public-api` list what it
finds. The crate exports most of its types from the crates below, and rustdoc describes each crate by itself, so the
descriptions are joined first. With ``--check`` it writes nothing, and fails when the committed file differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from api_file import write_or_check

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "core" / "api.txt"
CRATE = "hookweave"
NOTICE = "# The public API of the Rust crate; `make generate` writes this file."
# The format of rustdoc's JSON that tools/rust-api reads, and the releases of Rust that write it.
FORMAT, RELEASES = 57, "1.93 to 1.97"
# Only a nightly rustdoc writes JSON; this has the installed one do it.
RUSTDOC = ROOT / "tools" / "rustdoc-json"
OPTIONS = ["-Z", "unstable-options", "--output-format", "json", "--cap-lints", "allow"]
# What refers to another item by its number.
REFERENCES = {"id", "root", "items", "impls", "implementations", "variants", "fields", "tuple", "links"}

# What the compiler derives from the fields of a type. `impl !Send for …` is kept.
DERIVED = re.compile(r"impl.* !?core::(marker::(Freeze|StructuralPartialEq|UnsafeUnpin)|panic::unwind_safe::\w+) for ")
AUTO_TRAIT = re.compile(r"impl.* core::marker::(Send|Sync|Unpin) for ")
TRAIT_IMPL = re.compile(r"impl.* for ")
# A path into a crate below, which a user of the published crate cannot write.
BELOW = re.compile(r"\bhookweave_\w+::[\w:]+")

Json = Any


def other_format() -> str | None:
    """Why the API cannot be listed here, if so: the format of rustdoc's JSON changes between releases."""
    if os.name == "nt":
        return "core/api.txt has the crate as it is on Unix"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "empty.rs"
        source.touch()
        command = [str(RUSTDOC), *OPTIONS, "--out-dir", folder, str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"rustdoc writes no JSON: {done.stderr.strip()}"
        found = json.loads((Path(folder) / "empty.json").read_text(encoding="utf-8"))["format_version"]
    if found == FORMAT:
        return None
    return f"rustdoc writes format {found} here, and core/api.txt is read from format {FORMAT} (Rust {RELEASES})"


def described() -> list[Json]:
    """What rustdoc says of each crate of the core."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)
    names = [p["name"] for p in metadata["packages"] if Path(p["manifest_path"]).is_relative_to(ROOT / "core")]
    environment = {**os.environ, "RUSTDOC": str(RUSTDOC), "RUSTDOCFLAGS": " ".join(OPTIONS)}
    command = ["cargo", "doc", "--quiet", "--lib", "--no-deps", *(f"-p{name}" for name in names)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    folder = Path(metadata["target_directory"], os.environ.get("CARGO_BUILD_TARGET", ""), "doc")
    files = [folder / f"{name.replace('-', '_')}.json" for name in names]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def joined(crates: list[Json]) -> Json:
    """One description of all crates, with the root of the published one.

    Each crate numbers its items by itself, and so those of other crates that it mentions. Items of the same path and
    kind are one.
    """
    numbers: dict[tuple[Any, ...], int] = {}

    def number(crate: Json, item: int) -> int:
        """The number of an item among those of all crates."""
        name = str(item)
        path = crate["paths"].get(name)
        if path is not None:
            key: tuple[Any, ...] = (*path["path"], path["kind"])
        else:
            key = (id(crate), item)
        return numbers.setdefault(key, len(numbers))

    def renumbered(crate: Json, value: Json, key: str = "") -> Json:
        """A value with the new numbers."""
        if isinstance(value, dict):
            if key in ("index", "paths"):
                return {str(number(crate, int(k))): renumbered(crate, v) for k, v in value.items()}
            inner = "links" if key == "links" else None
            return {k: renumbered(crate, v, inner or k) for k, v in value.items()}
        if isinstance(value, list):
            return [renumbered(crate, item, key) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and key in REFERENCES:
            return number(crate, value)
        return value

    whole: Json = None
    index: dict[str, Json] = {}
    paths: dict[str, Json] = {}
    for crate in crates:
        crate = renumbered(crate, crate)
        own = {number: item for number, item in crate["index"].items() if item["crate_id"] == 0}
        # An item of another crate is described there whole.
        index = {**crate["index"], **index, **own}
        paths = {**crate["paths"], **paths}
        if index[str(crate["root"])]["name"] == CRATE:
            whole = crate
    return {**whole, "index": index, "paths": paths}


def listed(description: Json) -> list[str]:
    """The items of a description, one a line."""
    file = ROOT / "target" / "rust-api" / "hookweave.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(description), encoding="utf-8")
    command = ["cargo", "run", "--quiet", "--locked", "--manifest-path", "tools/rust-api/Cargo.toml"]
    command += ["--target-dir", str(file.parent), "--", str(file)]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def shortened(lines: list[str]) -> Iterator[str]:
    """The lines without what follows from others: auto traits, and the functions of a trait that a type implements."""
    in_trait = False
    for line in lines:
        if line.startswith("impl"):
            in_trait = TRAIT_IMPL.match(line) is not None
            if not (DERIVED.match(line) or AUTO_TRAIT.match(line)):
                yield line
        elif not (in_trait and " fn " in line):
            in_trait = in_trait and " type " in line
            yield line


def without_foreign_traits(lines: list[str]) -> Iterator[str]:
    """The lines without the implementations of traits of the crates below: their users have no use for them."""
    for line in lines:
        if not (line.startswith("impl") and BELOW.match(line.partition(" for ")[0].split()[-1])):
            yield line


def unnameable(lines: list[str]) -> list[str]:
    """The signatures with types that a user cannot name."""
    return [
        f"{line}\n  `{found[0]}` has no path in `{CRATE}`: export it from core/src/lib.rs, or hide the item"
        for line in lines
        if (found := BELOW.search(line))
    ]


def main() -> int:
    """Writes the file, or checks it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the file differs, and write nothing")
    check = parser.parse_args().check
    if reason := other_format():
        print(f"core/api.txt was left as it is: {reason}")
        return 0
    lines = list(without_foreign_traits(list(shortened(listed(joined(described()))))))
    if wrong := unnameable(lines):
        print("\n".join(wrong))
        return 1
    return write_or_check(FILE, "\n".join([NOTICE, "", *lines, ""]), check)


if __name__ == "__main__":
    sys.exit(main())
