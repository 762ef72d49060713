"""Builds the package with maturin, and into wheels the `hookweave` command beside it.

An editable install is for work on the package itself and goes without the command: `cargo run --package hookweave-cli`
is nearer there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
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
# What lies here is put among the scripts of the environment, as the wheel format has it.
SCRIPTS = PACKAGE / "hookweave.data" / "scripts"
COMMAND = "hookweave-cli"

# maturin wants it to be there, also when it holds nothing.
SCRIPTS.parent.mkdir(exist_ok=True)


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds a wheel with the command in it."""
    try:
        put_command()
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        take_command_away()


def build_editable(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds the package in place, without the command."""
    take_command_away()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def put_command() -> None:
    """Builds the command and puts it where maturin looks for scripts."""
    program = build_command()
    SCRIPTS.mkdir(exist_ok=True)
    shutil.copy2(program, SCRIPTS / program.name)


def take_command_away() -> None:
    """Leaves nothing that a later build would take for its own."""
    shutil.rmtree(SCRIPTS, ignore_errors=True)


def build_command() -> Path:
    """The command's program, as cargo says where it is."""
    arguments = ["build", "--release", "--package", COMMAND, "--message-format", "json-render-diagnostics"]
    # The target of the extension, which cargo reads from the environment by itself.
    if target := os.environ.get("CARGO_BUILD_TARGET"):
        print(f"building {COMMAND} for {target}", file=sys.stderr)
    done = subprocess.run(
        [os.environ.get("CARGO", "cargo"), *arguments],
        cwd=PACKAGE,
        env=maturin._get_env(),
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
