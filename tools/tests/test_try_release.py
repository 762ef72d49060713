"""What cannot be tried fails the release. That what is whole passes shows when a release is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import try_release

LIMIT_SECONDS = 300


@pytest.mark.parametrize(("kind", "why"), [("wheel", "hookweave==0.1.0"), ("npm", "hookweave-0.1.0.tgz")])
def test_a_folder_without_packages_for_this_system_fails(kind: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "hookweave-0.1.0-cp39-cp39-win32.whl").touch()
    program = [sys.executable, str(Path(try_release.__file__)), str(tmp_path), "0.1.0", "--only", kind]
    done = subprocess.run(program, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    assert done.returncode == 1
    assert why in done.stderr


def test_a_package_that_answers_otherwise_fails() -> None:
    try_release.expect("the wheel", "True no folder\n", "True no folder")
    with pytest.raises(try_release.TrialError, match="printed 'False None', not 'True no folder'"):
        try_release.expect("the wheel", "False None", "True no folder")


def test_a_program_that_ends_otherwise_fails(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "raise SystemExit(3)"]
    assert try_release.run(program, tmp_path, code=3) == ""
    with pytest.raises(try_release.TrialError, match="exited with 3, not 0"):
        try_release.run(program, tmp_path)
