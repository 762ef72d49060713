"""Builds the package with maturin, and into wheels the `hookweave` command beside it.

A source distribution holds what the extension is made of and not the command, which `cargo install hookweave-cli`
gives; a wheel that is built from it goes without. So does an editable install, which is for work on the package itself:
`cargo run --package hookweave-cli` is nearer there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import maturin  # type: ignore[import-untyped]
from maturin import (
    build_editable,
    build_sdist,
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
COMMAND = "hookweave-cli"


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds a wheel and puts the command into it."""
    program = build_command() if (PACKAGE.parent / "cli" / "Cargo.toml").is_file() else None
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    if program is not None:
        add_script(Path(wheel_directory) / name, program)
    return name


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
    """The command's program, as cargo says where it is."""
    # For the target of the extension, which cargo reads from the environment as maturin does.
    arguments = ["build", "--release", "--package", COMMAND, "--message-format", "json-render-diagnostics"]
    done = subprocess.run(
        [os.environ.get("CARGO", "cargo"), *arguments],
        cwd=PACKAGE,
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
