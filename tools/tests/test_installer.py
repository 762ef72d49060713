"""The installer of the command, against a release on this machine."""

from __future__ import annotations

import hashlib
import http.server
import os
import platform
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALLER = ROOT / "cli" / "install.sh"
TARGETS = {
    ("Linux", "x86_64"): "x86_64-unknown-linux-musl",
    ("Linux", "aarch64"): "aarch64-unknown-linux-musl",
    ("Darwin", "x86_64"): "x86_64-apple-darwin",
    ("Darwin", "arm64"): "aarch64-apple-darwin",
}
THIS = TARGETS.get((platform.system(), platform.machine()))

pytestmark = pytest.mark.skipif(THIS is None, reason="there is no program for this machine")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class Releases:
    """A folder of releases as a web server shows it, and a home to install into."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address, self.home = folder / "releases", address, folder / "home"
        self.bin = self.home / ".local" / "bin"
        self.home.mkdir()

    def release(self, version: str, *, latest: bool = True, says: str | None = None) -> Path:
        """Adds one, whose program says its version; returns its folder."""
        place = self.folder / "download" / f"v{version}"
        place.mkdir(parents=True)
        program = place / "hookweave"
        program.write_text(f"#!/bin/sh\necho hookweave {says or version}\n")
        program.chmod(0o755)
        archive = place / f"hookweave-{version}-{THIS}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(program, "hookweave")
        program.unlink()
        other = f"{'0' * 64}  hookweave-{version}-cp313-cp313-musllinux.whl\n"
        sums = other + f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
        (place / "SHA256SUMS").write_text(sums)
        if latest:
            newest = self.folder / "latest" / "download"
            newest.mkdir(parents=True, exist_ok=True)
            (newest / "SHA256SUMS").write_text(sums)
        return place

    def install(self, **env: str) -> subprocess.CompletedProcess[str]:
        """Pipes the installer into a shell, as people do."""
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.home), "HOOKWEAVE_RELEASES": self.address}
        with INSTALLER.open("rb") as script:
            return subprocess.run(
                ["sh"], stdin=script, env=kept | env, capture_output=True, text=True, timeout=300, check=False
            )

    def version(self) -> str:
        """What the installed program says."""
        return subprocess.run([self.bin / "hookweave"], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def releases(tmp_path: Path) -> Iterator[Releases]:
    (tmp_path / "releases").mkdir()
    handler = partial(Quiet, directory=str(tmp_path / "releases"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Releases(tmp_path, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


def test_the_latest_is_installed_or_the_one_that_is_named(releases: Releases) -> None:
    releases.release("1.2.3")
    releases.release("2.0.0-rc.1", latest=False)
    done = releases.install()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"hookweave 1.2.3 is in {releases.bin}\nthat folder is not in PATH; next: {releases.bin}/hookweave init\n"
    )
    assert releases.version() == "hookweave 1.2.3"
    path = f"{releases.bin}:{os.environ['PATH']}"
    assert releases.install(HOOKWEAVE_VERSION="2.0.0-rc.1", PATH=path).stdout.endswith("\nnext: hookweave init\n")
    assert releases.version() == "hookweave 2.0.0-rc.1"
    assert [file.name for file in releases.bin.iterdir()] == ["hookweave"]


def test_what_is_not_the_release_is_not_installed(releases: Releases) -> None:
    releases.release("1.2.3")
    releases.install()
    changed = releases.release("1.2.4") / f"hookweave-1.2.4-{THIS}.tar.gz"
    changed.write_bytes(changed.read_bytes() + b"more")
    liar = releases.release("1.2.5", says="9.9.9")
    assert "is not what the release has" in releases.install(HOOKWEAVE_VERSION="1.2.4").stderr
    assert "says that it is hookweave 9.9.9" in releases.install(HOOKWEAVE_VERSION="v1.2.5").stderr
    (liar / "SHA256SUMS").write_text(f"{'0' * 64}  hookweave-1.2.5-riscv64-unknown-linux-musl.tar.gz\n")
    assert f"no program for {THIS}" in releases.install(HOOKWEAVE_VERSION="1.2.5").stderr
    assert "SHA256SUMS cannot be downloaded" in releases.install(HOOKWEAVE_VERSION="7.0.0").stderr
    assert "is no version" in releases.install(HOOKWEAVE_VERSION="../../x").stderr
    assert "must begin with https://" in releases.install(HOOKWEAVE_RELEASES="http://example.org").stderr
    assert releases.version() == "hookweave 1.2.3"


def test_a_machine_without_a_program_or_a_checksum_is_told(releases: Releases, tmp_path: Path) -> None:
    releases.release("1.2.3")
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "uname").write_text('#!/bin/sh\ncase "$1" in -s) echo Plan9 ;; *) echo vax ;; esac\n')
    (shims / "uname").chmod(0o755)
    done = releases.install(PATH=f"{shims}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert "no program for Plan9 on vax; with Rust: cargo install hookweave-cli" in done.stderr
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in (
        "cp",
        "curl",
        "cut",
        "grep",
        "gzip",
        "mkdir",
        "mktemp",
        "mv",
        "rm",
        "sh",
        "tar",
        "uname",
        "wc",
        "wget",
    ):
        if found := shutil.which(name):
            (bare / name).symlink_to(found)
    done = releases.install(PATH=str(bare))
    assert done.returncode == 1
    assert "cannot be checked" in done.stderr
    assert not releases.bin.exists()


def test_a_folder_that_cannot_be_made_is_named(releases: Releases) -> None:
    releases.release("1.2.3")
    (releases.home / ".local").write_text("a file")
    done = releases.install()
    assert done.returncode == 1
    assert f"{releases.bin} cannot be made" in done.stderr


def test_half_of_the_installer_does_nothing(releases: Releases) -> None:
    releases.release("1.2.3")
    text = INSTALLER.read_text("utf-8")
    whole = text.rindex("main")
    for length in range(0, whole, 97):
        env = {"PATH": os.environ["PATH"], "HOME": str(releases.home), "HOOKWEAVE_RELEASES": releases.address}
        subprocess.run(["sh"], input=text[:length], env=env, capture_output=True, text=True, timeout=300, check=False)
    assert not list(releases.home.iterdir())
