"""Prepares a release: one version everywhere, the changelog's entries under it, and the notes for those who upgrade.

Nothing is committed, tagged or published. `--check` tells whether all places name one version, and is part of `make
lint`; `--notes` prints what the changelog says of a version, for the page of its release.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/hookweave/hookweave"
NOTES = "target/release-notes.md"
# Of Semantic Versioning, without build metadata: no registry keeps two packages apart by it.
VERSION = r"(?P<version>\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)"
# Words that a release makes false.
UNTRUE = re.compile(r"not published yet", re.IGNORECASE)
LINK = re.compile(r"(?<=\]\()(?!https?://|#)(?P<target>[^)\s]+)(?=\))")


@dataclass(frozen=True)
class Place:
    """Files that name the version, and a pattern for the text around it."""

    files: str
    pattern: str


# The first is the one that the others follow.
PLACES = (
    Place("Cargo.toml", rf'^\[workspace\.package\]\nversion = "{VERSION}"'),
    Place("Cargo.toml", rf'^hookweave[\w-]* = \{{.*\bversion = "=?{VERSION}"'),
    Place("Cargo.lock", rf'^name = "hookweave[\w-]*"\nversion = "{VERSION}"'),
    Place("bindings-node/package.json", rf'^  "version": "{VERSION}"'),
    Place("bindings-node/package-lock.json", rf'^ +"name": "hookweave",\n +"version": "{VERSION}"'),
    Place("cli/tests/golden/*.console", rf"\bhookweave {VERSION}"),
    Place("cli/tests/golden/sarif.console", rf'"name": "hookweave",\n +"version": "{VERSION}"'),
    Place("docs/command.md", rf"^hookweave {VERSION}$"),
    Place("docs/testing.md", rf"(?:hookweave/hookweave@v|^    rev: v){VERSION}"),
    Place("action.yml", rf'^    default: "{VERSION}"'),
)


class ReleaseError(Exception):
    """Why there is no release."""


@dataclass(frozen=True)
class Named:
    """A version where it is named."""

    path: Path
    line: int
    version: str
    span: tuple[int, int]


def named(root: Path, place: Place) -> Iterator[Named]:
    """The versions at a place; a place without one is refused, for then it has moved."""
    count = 0
    for path in sorted(root.glob(place.files)):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(place.pattern, text, re.MULTILINE):
            count += 1
            line = text.count("\n", 0, match.start("version")) + 1
            yield Named(path, line, match["version"], match.span("version"))
    if count == 0:
        raise ReleaseError(f"{place.files} has no version where tools/release.py looks for it: {place.pattern}")


def current(root: Path) -> str:
    """The version of the workspace."""
    return next(named(root, PLACES[0])).version


def differences(root: Path) -> list[str]:
    """Places that name another version than the workspace does."""
    version = current(root)
    found = (one for place in PLACES for one in named(root, place))
    return [
        f"{one.path.relative_to(root)}:{one.line} says {one.version}, Cargo.toml {version}"
        for one in found
        if one.version != version
    ]


def write(root: Path, version: str) -> None:
    """Sets the version everywhere."""
    for place in PLACES:
        # From the end of a file to its beginning, so that what is still to be replaced stays where it was found.
        for one in reversed(list(named(root, place))):
            text = one.path.read_text(encoding="utf-8")
            start, end = one.span
            one.path.write_text(text[:start] + version + text[end:], encoding="utf-8")


def order(version: str) -> tuple[tuple[int, ...], bool, list[tuple[bool, int, str]]]:
    """What versions are sorted by: a prerelease comes before its release, its parts by number or else by letters."""
    numbers, _, before = version.partition("-")
    parts = [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in before.split(".") if before]
    return tuple(int(part) for part in numbers.split(".")), not before, parts


def section(changelog: str, heading: str) -> re.Match[str] | None:
    """What the changelog says under a heading of its second level."""
    name = rf"^## {re.escape(heading)}(?: - [^\n]*)?\n(?P<text>.*?)(?=^## |\Z)"
    return re.search(name, changelog, re.MULTILINE | re.DOTALL)


def moved(changelog: str, version: str, today: datetime.date) -> str:
    """The changelog with what is unreleased under the version."""
    if section(changelog, version):
        raise ReleaseError(f"CHANGELOG.md has a section for {version} already: choose the next version")
    unreleased = section(changelog, "Unreleased")
    if unreleased is None or not re.search(r"^\* ", unreleased["text"], re.MULTILINE):
        raise ReleaseError("CHANGELOG.md lists nothing under Unreleased: there is nothing to release")
    start = unreleased.start()
    heading = f"## Unreleased\n\n## {version} - {today.isoformat()}\n"
    return changelog[:start] + heading + changelog[unreleased.start("text") :]


def notes(changelog: str, version: str) -> str:
    """What the changelog says of a version, with links that lead to the files of its tag."""
    found = section(changelog, version)
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no section for {version}: run `make release VERSION={version}` first")
    return LINK.sub(rf"{REPOSITORY}/blob/v{version}/\g<target>", found["text"].strip()) + "\n"


def git(root: Path, *arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def prepare(root: Path, version: str, today: datetime.date) -> None:
    """Writes a release into a clean checkout, or refuses before anything is written."""
    if not re.fullmatch(VERSION, version):
        raise ReleaseError(f"`{version}` is no version: write MAJOR.MINOR.PATCH, as 1.2.3 or 1.2.3-rc.1")
    if wrong := differences(root):
        raise ReleaseError("\n".join(wrong))
    if order(version) < order(current(root)):
        raise ReleaseError(f"{version} is older than {current(root)}, which Cargo.toml has")
    if changed := git(root, "status", "--porcelain"):
        raise ReleaseError(f"commit or stash what has changed first:\n{changed.rstrip()}")
    if git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"there is a tag v{version} already: choose the next version")
    changelog = root / "CHANGELOG.md"
    after = moved(changelog.read_text(encoding="utf-8"), version, today)
    pages = {"README.md": (root / "README.md").read_text(encoding="utf-8"), "CHANGELOG.md": notes(after, version)}
    if untrue := [name for name, text in pages.items() if UNTRUE.search(text)]:
        raise ReleaseError(f"{' and '.join(untrue)} say `not published yet`: rewrite and commit that first")
    write(root, version)
    changelog.write_text(after, encoding="utf-8")
    (root / NOTES).parent.mkdir(parents=True, exist_ok=True)
    (root / NOTES).write_text(notes(after, version), encoding="utf-8")
    print(f"{version} is written; its notes are in {NOTES}. Read `git diff`, then:")
    print(f"  git commit --all --message 'Release {version}' && git tag --sign v{version} --message v{version}")
    print(f"  git push origin HEAD v{version}   # the tag starts .github/workflows/release.yml")


def main() -> int:
    """Prepares, checks or prints; what is refused goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("version", nargs="?", help="the version to prepare, such as 1.2.3")
    what.add_argument(
        "--check",
        metavar="TAG",
        nargs="?",
        const="",
        help="fail where places name different versions, or another one than this tag",
    )
    what.add_argument("--notes", metavar="VERSION", help="print what the changelog says of a version")
    arguments = parser.parse_args()
    try:
        if arguments.check is not None:
            wrong = differences(ROOT)
            if arguments.check not in ("", tag := f"v{current(ROOT)}"):
                wrong.append(f"the tag is {arguments.check}; for what is in the checkout it is {tag}")
            print("\n".join(wrong), end="\n" if wrong else "")
            return 1 if wrong else 0
        if arguments.notes:
            print(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), arguments.notes), end="")
            return 0
        prepare(ROOT, arguments.version, datetime.datetime.now(datetime.UTC).date())
    except ReleaseError as why:
        print(f"release: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
