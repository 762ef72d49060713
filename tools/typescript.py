"""Compiles TypeScript programs that import the Node package of this checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_PACKAGE = ROOT / "bindings-node"


def link_packages(folder: Path) -> None:
    """Lets programs in a folder import `hookweave` and Node's types, as if both were installed there."""
    modules = folder / "node_modules"
    modules.mkdir(parents=True, exist_ok=True)
    for name, target in [("hookweave", NODE_PACKAGE), ("@types", NODE_PACKAGE / "node_modules" / "@types")]:
        link = modules / name
        link.unlink(missing_ok=True)
        link.symlink_to(target, target_is_directory=True)
    (folder / "package.json").write_text('{ "type": "module", "private": true }\n', encoding="utf-8")


def compile_project(project: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs `tsc` over a project; its complaints are on the standard output, one a line."""
    tsc = NODE_PACKAGE / "node_modules" / ".bin" / "tsc"
    return subprocess.run(
        [str(tsc), "--project", str(project), "--pretty", "false"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
    )
