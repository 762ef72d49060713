"""Type checkers accept right code and refuse wrong code; the stubs and generated files tell the truth."""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import os
import re
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


@functools.cache
def mypy_on_cases() -> str:
    """What mypy says of all cases."""
    done = run(sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental", *CASES.glob("*.py"))
    return done.stdout + done.stderr


def mypy_lines(path: Path) -> tuple[set[int], str]:
    text = mypy_on_cases()
    found = [line for line in text.splitlines() if ": error:" in line and path.name in line]
    return {int(line.split(":")[1]) for line in found}, text


@pytest.mark.parametrize("name", ["right", "wrong", "testing"])
def test_mypy(name: str) -> None:
    path = CASES / f"{name}.py"
    lines, text = mypy_lines(path)
    assert lines == marked(path), text


def test_mypy_lists_no_overloads_for_a_mistake_in_a_registration() -> None:
    _, text = mypy_lines(CASES / "wrong.py")
    listed = [
        line
        for line in text.splitlines()
        if "wrong.py" in line and re.search(r"note: +def (\[.*\] )?(hook|\w+_hook|__call__)\(", line)
    ]
    assert "cannot be \"Literal['PreToolUs']\"" in text
    assert listed == []


def test_every_overload_says_what_it_does() -> None:
    stub = ast.parse((BINDING / "python" / "hookweave" / "_typed.pyi").read_text(encoding="utf-8"))
    client = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "TypedClient")
    methods = [node for node in ast.walk(client) if isinstance(node, ast.FunctionDef)]
    named = {"hook", "register_hook", "temporary_hook", "dispatch", "dispatch_sync"}
    assert {node.name for node in methods} == named
    assert [node.lineno for node in methods if not ast.get_docstring(node)] == []


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


def test_pyright(pyright: Path, tmp_path: Path) -> None:
    paths = [CASES / f"{name}.py" for name in ("right", "wrong", "testing")]
    config = {
        "include": [path.name for path in paths],
        "extraPaths": [str(BINDING / "python")],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportUnusedExpression": False,
        "reportMissingModuleSource": False,
    }
    for path in paths:
        shutil.copy(path, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = run("node", pyright, "--outputjson", f"--pythonpath={sys.executable}", "--project", tmp_path)
    report: dict[str, Any] = json.loads(done.stdout)
    found = [diagnostic for diagnostic in report["generalDiagnostics"] if diagnostic["severity"] == "error"]
    assert report["summary"]["filesAnalyzed"] >= len(paths)
    lines = {(Path(diagnostic["file"]).name, diagnostic["range"]["start"]["line"] + 1) for diagnostic in found}
    assert lines == {(path.name, line) for path in paths for line in marked(path)}, found


# The linters check it too.
@pytest.mark.repeats
def test_mypy_accepts_the_package() -> None:
    done = run(sys.executable, "-m", "mypy", "--no-incremental")
    assert done.returncode == 0, done.stdout


ALLOWED = (
    # What pyo3 adds: the names without their types, and constructors that refuse.
    "hookweave._native.__all__",
    "hookweave._native.Dispatch.__new__",
    "hookweave._native.Outcome.__new__",
    # An awaitable's iterator is the dispatch itself; as an iterator it would also be a Generator to type checkers.
    "hookweave._native.Dispatch.__iter__",
    "hookweave._native.Dispatch.__next__",
    # Its methods are the client's at run time, and the rest is for type checkers alone.
    r"hookweave\._typed\..*",
    # Event and handler may go by name; without the slash mypy takes minutes for a mistake.
    r"hookweave\.client\.HookClient\.(hook|register_hook|temporary_hook)",
    r"hookweave\.compat\.a3s\.A3sClient\.(hook|register_hook|temporary_hook)",
    # Type checkers are told that an event has no fields but its own.
    r"hookweave\.events\.\w+Event\.__getattr__",
    # A decorator checks its keywords; a class makes a static method of it by itself.
    r"hookweave\.client\.HookClient\.__(new|init)__",
    r"hookweave\.compat\.a3s\.A3sClient\.__init__",
    # A profile's classes have fewer parameters for type checkers than the classes that they derive from.
    r"hookweave\.compat\.a3s\.HookResponse\.(block|continue_|skip)",
    # stubtest does not follow `__all__ += …`, takes a new type for a class, and finds names that mypy makes up for
    # `callable(…)`.
    r"hookweave(\.\w+)*\.__all__",
    r"hookweave(\.\w+)*\.<callable subtype of \w+>",
    r"hookweave\.event\.EventName",
    r"hookweave\.files\.ReloadReport\.__slots__",
)


def test_the_stubs_tell_the_truth(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.write_text("".join(f"{name}\n" for name in ALLOWED), encoding="utf-8")
    command = (sys.executable, "-m", "mypy.stubtest", "hookweave", "--ignore-disjoint-bases", "--concise")
    options = ("--ignore-unused-allowlist", "--mypy-config-file", "pyproject.toml")
    done = run(*command, "--allowlist", allowed, *options)
    # An adapter cannot be imported without its framework.
    expected = re.compile(r".* is not a Union|hookweave\.integrations\.\w+ failed to import\. ImportError: .*")
    complaints = [line for line in done.stdout.splitlines() if not expected.fullmatch(line)]
    assert complaints == [], done.stderr


def test_every_public_type_is_known_to_pyright(pyright: Path, tmp_path: Path) -> None:
    command = ("node", pyright, f"--pythonpath={sys.executable}", "--verifytypes", "hookweave", "--ignoreexternal")
    environment = {**os.environ, "PYTHONPATH": str(BINDING / "python")}
    done = subprocess.run(
        [*map(str, command), "--outputjson"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    # The types of adapters are those of frameworks, which are not installed here.
    symbols = [symbol for symbol in found["symbols"] if not symbol["name"].startswith("hookweave.integrations.")]
    unknown = [symbol["name"] for symbol in symbols if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    assert len(symbols) > 1000 and unknown == []


def test_generated_files_follow_the_catalogue() -> None:
    spec = importlib.util.spec_from_file_location("generate", BINDING / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.texts().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"run `python bindings-python/generate.py`: {path.name} differs"
        )
