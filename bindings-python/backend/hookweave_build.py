"""Builds the package with maturin, with the `hookweave` command in wheels and its sources in source distributions.

An editable install goes without: it is for work on the package itself, where `cargo run --package hookweave-cli` is
nearer. So does what `maturin` builds without this module: releases are built by `python -m build` or `pip wheel`.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import maturin  # type: ignore[import-untyped]
from maturin import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

PACKAGE = Path(__file__).resolve().parent.parent
# In a source distribution the workspace is the package's own folder, in a checkout the one around it.
WORKSPACE = PACKAGE if (PACKAGE / "cli").is_dir() else PACKAGE.parent
COMMAND = "hookweave-cli"
# Names a program that was built before, one for the wheels of all versions of Python: it is taken as it is.
GIVEN = "HOOKWEAVE_COMMAND"


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds a wheel and puts the command into it."""
    program = build_command()
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_script(Path(wheel_directory) / name, program)
    return name


def build_sdist(sdist_directory: str, config_settings: Mapping[str, Any] | None = None) -> str:
    """Builds a source distribution and puts the command's sources into it."""
    name: str = maturin.build_sdist(sdist_directory, config_settings)
    add_sources(Path(sdist_directory) / name)
    return name


def sources() -> Iterator[Path]:
    """What the command is built from, and the licences."""
    yield from WORKSPACE.glob("LICENSE*")
    yield WORKSPACE / "THIRD-PARTY.txt"
    yield WORKSPACE / "cli" / "Cargo.toml"
    for folder in ("src", "schemas"):
        yield from (path for path in sorted((WORKSPACE / "cli" / folder).rglob("*")) if path.is_file())


def add_sources(sdist: Path) -> None:
    """Adds the command to the workspace, which maturin cuts down to what the extension needs."""
    whole = sdist.with_suffix(".whole")
    with tarfile.open(sdist) as before:
        entries = [(entry, before.extractfile(entry)) for entry in before.getmembers()]
        root = entries[0][0].name.partition("/")[0]
        # One time for all, which does not change from build to build.
        time = int(entries[0][0].mtime)
        there = {entry.name for entry, _ in entries}
        with gzip.GzipFile(whole, "wb", mtime=time) as packed, tarfile.open(fileobj=packed, mode="w") as after:
            for entry, content in entries:
                data = content.read() if content is not None else b""
                if entry.name == f"{root}/Cargo.toml":
                    data = with_command(data.decode()).encode()
                    entry.size = len(data)
                after.addfile(entry, io.BytesIO(data))
            for source in sources():
                entry = tarfile.TarInfo(f"{root}/{source.relative_to(WORKSPACE).as_posix()}")
                if entry.name in there:
                    continue
                data = source.read_bytes()
                entry.size, entry.mtime, entry.mode = len(data), time, 0o644
                after.addfile(entry, io.BytesIO(data))
    whole.replace(sdist)


def with_command(manifest: str) -> str:
    """The workspace's manifest with the command among its members."""
    members = re.search(r"^members = \[(.*?)\]", manifest, re.MULTILINE | re.DOTALL)
    if members is None:
        raise SystemExit("the source distribution's Cargo.toml names no members of a workspace")
    if '"cli"' in members[1]:
        return manifest
    end = members.end() - 1
    return f'{manifest[:end].rstrip().rstrip(",")}, "cli"{manifest[end:]}'


def add_script(wheel: Path, program: Path) -> None:
    """Adds a program to those that an installer puts among the scripts of the environment."""
    name, version = wheel.name.split("-")[:2]
    script = f"{name}-{version}.data/scripts/{program.name}"
    record = f"{name}-{version}.dist-info/RECORD"
    content = program.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    whole = wheel.with_suffix(".whole")
    with ZipFile(wheel) as before, ZipFile(whole, "w", ZIP_DEFLATED) as after:
        for entry in before.infolist():
            if entry.filename != record:
                after.writestr(entry, before.read(entry), ZIP_DEFLATED)
        after.writestr(entry_of(script, 0o755), content)
        # The list of what is in the wheel comes last, as the format recommends.
        lines = before.read(record).decode() + f"{script},sha256={digest},{len(content)}\n"
        after.writestr(entry_of(record, 0o644), lines)
    whole.replace(wheel)


def entry_of(name: str, mode: int) -> ZipInfo:
    """A file in a wheel, with a time that does not change from build to build."""
    entry = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = ZIP_DEFLATED
    return entry


def build_command() -> Path:
    """The command's program: the given one, or what cargo builds."""
    if given := os.environ.get(GIVEN):
        if not Path(given).is_file():
            raise SystemExit(f"{GIVEN} names {given}, and there is no such file: build it, or unset the variable")
        return Path(given)
    # For the target of the extension, which cargo reads from the environment as maturin does.
    arguments = ["build", "--release", "--package", COMMAND, "--message-format", "json-render-diagnostics"]
    done = subprocess.run(
        [os.environ.get("CARGO", "cargo"), *arguments],
        cwd=WORKSPACE,
        # Where there is no Rust, maturin fetches one for the time of the build.
        env=getattr(maturin, "_get_env", lambda: None)(),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"cargo could not build {COMMAND}; what it said stands above")
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message.get("executable"):
            return Path(message["executable"])
    raise SystemExit(f"cargo built no program of {COMMAND}")
