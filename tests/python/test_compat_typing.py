"""Type checkers accept right uses of the compatibility modules and refuse wrong ones."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from test_typing import BINDING, CASES, marked, mypy_lines, pyright, run

CASE = CASES / "compat.py"
__all__ = ["pyright"]


def test_mypy() -> None:
    lines, text = mypy_lines(CASE)
    assert lines == marked(CASE) and len(lines) == 7, text


def test_pyright(pyright: Path, tmp_path: Path) -> None:
    """The case, and the modules themselves."""
    shutil.copy(CASE, tmp_path)
    unread = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    package = shutil.copytree(BINDING / "python" / "hookweave", tmp_path / "hookweave", ignore=unread)
    config = {
        "include": [CASE.name, "hookweave/compat"],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportMissingModuleSource": False,
        # Modules of one package, and values whose types only the hook's author knows.
        "reportPrivateUsage": False,
        "reportUnknownMemberType": False,
        "reportUnknownVariableType": False,
        "reportUnknownArgumentType": False,
        "reportUnknownLambdaType": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = run("node", pyright, "--outputjson", f"--pythonpath={sys.executable}", "--project", tmp_path)
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] > len(list((package / "compat").rglob("*.py")))
    found = [diagnostic for diagnostic in report["generalDiagnostics"] if diagnostic["severity"] == "error"]
    assert [diagnostic for diagnostic in found if not diagnostic["file"].endswith(CASE.name)] == []
    assert {diagnostic["range"]["start"]["line"] + 1 for diagnostic in found} == marked(CASE), found
