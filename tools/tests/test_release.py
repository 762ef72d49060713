"""A release is prepared in a copy of the checkout: all places get its version, and what is no release is refused."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import release

LIMIT_SECONDS = 120
UNRELEASED = "# Changelog\n\n## Unreleased\n\n### Added\n"
CHANGELOG = f"{UNRELEASED}\n* [A thing](docs/thing.md) more.\n\n## 0.1.0 - 2026-01-02\n\n* First.\n"


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, timeout=LIMIT_SECONDS)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clean checkout with each file that names the version, the program itself, and a changelog with an entry."""
    root = tmp_path / "checkout"
    files = {path for place in release.PLACES for path in release.ROOT.glob(place.files)}
    for path in [*files, release.ROOT / "tools" / "release.py"]:
        copy = root / path.relative_to(release.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    release.write(root, "0.1.0")
    (root / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    (root / "README.md").write_text("# hookweave\n", "utf-8")
    (root / ".gitignore").write_text("/target/\n", "utf-8")
    git(root, "init", "--quiet")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "A change")


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "tools/release.py", *arguments]
    return subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)


def test_a_release_is_written_everywhere(checkout: Path) -> None:
    before = {one.path for place in release.PLACES for one in release.named(checkout, place)}
    done = run(checkout, "7.8.9-rc.1")
    assert done.returncode == 0, done.stderr
    assert run(checkout, "--check").returncode == 0
    assert release.current(checkout) == "7.8.9-rc.1"
    assert {one.path for place in release.PLACES for one in release.named(checkout, place)} == before
    lock = json.loads((checkout / "bindings-node" / "package-lock.json").read_text("utf-8"))
    assert (lock["version"], lock["packages"][""]["version"]) == ("7.8.9-rc.1", "7.8.9-rc.1")
    crates = re.findall(r'^name = "hookweave[\w-]*"\nversion = "(.*)"', (checkout / "Cargo.lock").read_text(), re.M)
    assert set(crates) == {"7.8.9-rc.1"}
    notes = (checkout / release.NOTES).read_text("utf-8")
    assert notes == f"### Added\n\n* [A thing]({release.REPOSITORY}/blob/v7.8.9-rc.1/docs/thing.md) more.\n"
    assert run(checkout, "--notes", "7.8.9-rc.1").stdout == notes
    today = datetime.datetime.now(datetime.UTC).date()
    changelog = (checkout / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)$", changelog, re.M)
    assert headings[0] == "Unreleased"
    # The day may have changed since.
    assert headings[1] in {f"7.8.9-rc.1 - {today - datetime.timedelta(days=days)}" for days in (0, 1)}
    assert headings[2:] == ["0.1.0 - 2026-01-02"]


def test_cargo_takes_the_lock_file_as_it_is_written() -> None:
    """The names in Cargo.lock that the pattern finds are those of the workspace, no more and no less."""
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    printed = subprocess.run(metadata, cwd=release.ROOT, capture_output=True, text=True, timeout=600, check=True).stdout
    members = {package["name"] for package in json.loads(printed)["packages"]}
    lock = (release.ROOT / "Cargo.lock").read_text("utf-8")
    assert set(re.findall(r'^name = "(hookweave[\w-]*)"$', lock, re.M)) == members


@pytest.mark.parametrize(
    ("path", "text", "version", "why"),
    [
        ("README.md", "# changed\n", "0.2.0", "commit or stash"),
        ("CHANGELOG.md", UNRELEASED, "0.2.0", "nothing to release"),
        ("CHANGELOG.md", CHANGELOG, "0.1.0", "has a section for 0.1.0 already"),
        ("CHANGELOG.md", CHANGELOG, "0.0.9", "0.0.9 is older than 0.1.0"),
        ("CHANGELOG.md", CHANGELOG, "0.1.0-rc.1", "0.1.0-rc.1 is older than 0.1.0"),
        ("CHANGELOG.md", CHANGELOG, "v1", "`v1` is no version"),
        ("README.md", "Not published yet.\n", "0.2.0", "README.md say `not published yet`"),
        ("action.yml", "name: moved\n", "0.2.0", "action.yml has no version where"),
        ("action.yml", '    default: "0.0.1"\n', "0.2.0", "action.yml:1 says 0.0.1, Cargo.toml 0.1.0"),
    ],
)
def test_what_cannot_be_released_is_refused(checkout: Path, path: str, text: str, version: str, why: str) -> None:
    (checkout / path).write_text(text, "utf-8")
    if why != "commit or stash":
        commit(checkout)
    before = (checkout / "Cargo.toml").read_text("utf-8")
    done = run(checkout, version)
    assert done.returncode == 1
    assert why in done.stderr
    assert (checkout / "Cargo.toml").read_text("utf-8") == before


def test_a_version_that_is_tagged_is_refused(checkout: Path) -> None:
    git(checkout, "tag", "v9.0.0")
    assert "there is a tag v9.0.0 already" in run(checkout, "9.0.0").stderr


def test_places_that_differ_are_named(checkout: Path) -> None:
    package = checkout / "bindings-node" / "package.json"
    package.write_text(package.read_text("utf-8").replace('"version": "0.1.0"', '"version": "0.0.1"'), "utf-8")
    done = run(checkout, "--check")
    assert done.returncode == 1
    assert done.stdout == "bindings-node/package.json:3 says 0.0.1, Cargo.toml 0.1.0\n"


@pytest.mark.parametrize(("tag", "fine"), [("v0.1.0", True), ("v0.1.1", False), ("0.1.0", False)])
def test_a_tag_is_that_of_the_version(checkout: Path, tag: str, fine: bool) -> None:
    assert (run(checkout, "--check", tag).returncode == 0) is fine


def test_versions_are_in_order() -> None:
    falling = ["1.0.0", "0.10.0", "0.10.0-rc.10", "0.10.0-rc.2", "0.10.0-a", "0.9.0"]
    assert sorted(falling, key=release.order) == falling[::-1]
