"""Type checkers accept right code and refuse wrong code; the stubs and generated files tell the truth."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINDING = ROOT / "bindings-python"
CASES = HERE / "typing_cases"
PYRIGHT = "1.1.414"


def marked(path: Path) -> set[int]:
    """The lines of a file that a checker must complain about."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# WRONG")}


def run(*command: str | Path, cwd: Path = BINDING) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=600, check=False)


def mypy_lines(path: Path) -> tuple[set[int], str]:
    done = run(sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental", path)
    found = [line for line in done.stdout.splitlines() if ": error:" in line and path.name in line]
    return {int(line.split(":")[1]) for line in found}, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["right", "wrong", "testing"])
def test_mypy(name: str) -> None:
    path = CASES / f"{name}.py"
    lines, text = mypy_lines(path)
    assert lines == marked(path), text


@pytest.fixture(scope="session")
def pyright() -> Path:
    """The program, from npm: its Python package would fetch the same at run time."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("pyright needs node and npm")
    folder = ROOT / "target" / "pyright"
    program = folder / "node_modules" / "pyright" / "index.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        done = run(
            npm,
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            f"--prefix={folder}",
            f"pyright@{PYRIGHT}",
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("name", ["right", "wrong", "testing"])
def test_pyright(name: str, pyright: Path, tmp_path: Path) -> None:
    path = CASES / f"{name}.py"
    config = {
        "include": [path.name],
        "extraPaths": [str(BINDING / "python")],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportUnusedExpression": False,
        "reportMissingModuleSource": False,
    }
    shutil.copy(path, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = run("node", pyright, "--outputjson", f"--pythonpath={sys.executable}", "--project", tmp_path)
    report: dict[str, Any] = json.loads(done.stdout)
    found = [diagnostic for diagnostic in report["generalDiagnostics"] if diagnostic["severity"] == "error"]
    assert report["summary"]["filesAnalyzed"] > 0
    lines = {diagnostic["range"]["start"]["line"] + 1 for diagnostic in found}
    assert lines == marked(path), found


def test_mypy_accepts_the_package() -> None:
    done = run(sys.executable, "-m", "mypy", "--no-incremental")
    assert done.returncode == 0, done.stdout


def test_the_native_stub_tells_the_truth(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    names = (
        # What pyo3 adds: the names without their types, and constructors that refuse.
        "__all__",
        "Dispatch.__new__",
        "Outcome.__new__",
        # An awaitable's iterator is the dispatch itself; as an iterator it would also be a Generator to type checkers.
        "Dispatch.__iter__",
        "Dispatch.__next__",
    )
    allowed.write_text("".join(f"hookweave._native.{name}\n" for name in names), encoding="utf-8")
    command = (sys.executable, "-m", "mypy.stubtest", "hookweave._native", "--ignore-disjoint-bases")
    done = run(*command, "--allowlist", allowed, "--ignore-unused-allowlist", "--mypy-config-file", "pyproject.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_generated_files_follow_the_catalogue() -> None:
    spec = importlib.util.spec_from_file_location("generate", BINDING / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.texts().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"run `python bindings-python/generate.py`: {path.name} differs"
        )
