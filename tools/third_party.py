"""Writes THIRD-PARTY.txt: the crates that are compiled into the packages, with the texts of their licences.

Each wheel, npm package and archive of the command carries the file, as the licences ask. The npm package has no
dependencies of its own, and neither has the wheel. With `--check` the file is compared with what would be written.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "THIRD-PARTY.txt"
# What is handed out as a program; the crates of a library are compiled by those who depend on it.
BUILT = ("hookweave-cli", "hookweave-node", "hookweave-python")
TEXTS = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
# Where a crate leaves the choice, the licence of the shortest text.
CHOICE = re.compile(r"\bMIT\b(?!-0)")
HEAD = """Third-party software
====================

The programs of hookweave contain the following crates. `tools/third_party.py` writes this file.
"""
RULE = "-" * 80


@dataclass(frozen=True, order=True)
class Crate:
    """A crate that is compiled into a program."""

    name: str
    version: str
    licence: str
    folder: Path

    def texts(self) -> Iterator[str]:
        """Its licence's texts and notices, without what differs by layout alone."""
        files = sorted(path for path in self.folder.iterdir() if path.is_file() and TEXTS.match(path.name))
        if " AND " not in self.licence and CHOICE.search(self.licence):
            chosen = [path for path in files if "mit" in path.stem.lower().split("-")[-1:]]
            files = [path for path in files if path in chosen or "notice" in path.name.lower()] if chosen else files
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace")
            yield "\n".join(line.rstrip() for line in text.strip("\ufeff \r\n\t").splitlines())


def crates() -> list[Crate]:
    """What the programs are made of, on all systems together that they are built for."""
    # Crates of other systems alone are fetched if no build has needed them.
    tree = ["cargo", "tree", "--locked", "--prefix", "none", "--edges", "normal"]
    targets = json.loads((ROOT / "bindings-node" / "package.json").read_text(encoding="utf-8"))["napi"]["targets"]
    options = [f"--package={name}" for name in BUILT] + [f"--target={name}" for name in targets]
    built = set(re.findall(r"^([\w-]+) v(\S+)", output([*tree, *options]), re.MULTILINE))
    metadata = json.loads(output(["cargo", "metadata", "--locked", "--format-version", "1"]))
    return sorted(
        Crate(package["name"], package["version"], licence(package), Path(package["manifest_path"]).parent)
        for package in metadata["packages"]
        # What has no source is the workspace's own.
        if package["source"] is not None and (package["name"], package["version"]) in built
    )


def licence(package: dict[str, str | None]) -> str:
    """The licence that a manifest names; a slash is an older way to say `or`."""
    named = package["license"]
    if named is None:
        raise SystemExit(f"third_party: {package['name']} names no licence: choose another crate, or ask its authors")
    return re.sub(r"\s*/\s*", " OR ", named)


def output(command: list[str]) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise SystemExit(f"third_party: `{' '.join(command)}` failed, see above")
    return done.stdout


def page(found: list[Crate]) -> str:
    """The file: a list of the crates, then each text once with the crates that it is of."""
    rows = [f"{crate.name} {crate.version}: {crate.licence}" for crate in found]
    users: dict[str, list[str]] = {}
    without = []
    for crate in found:
        texts = list(crate.texts())
        for text in texts:
            users.setdefault(text, []).append(crate.name)
        if not texts:
            without.append(f"{crate.name} ({crate.licence})")
    parts = [HEAD, *rows, ""]
    if without:
        parts += ["These have no text of their licence in their package:", ", ".join(without), ""]
    for text, names in users.items():
        parts += [RULE, ", ".join(dict.fromkeys(names)), RULE, "", text, ""]
    return "\n".join(parts)


def main() -> int:
    """Writes the file, or says that it is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is stale")
    arguments = parser.parse_args()
    wanted = page(crates())
    if not arguments.check:
        PAGE.write_text(wanted, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != wanted:
        print("THIRD-PARTY.txt is not what Cargo.lock says: run `make generate`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
