"""Writes a committed list of a public API, or shows how it differs from the code."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path


def write_or_check(file: Path, text: str, check: bool) -> int:
    """Writes the file if it differs; to check, writes nothing and shows the difference. Gives the exit code."""
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if text == old:
        return 0
    if not check:
        file.write_text(text, encoding="utf-8")
        return 0
    name = f"{file.parent.name}/{file.name}"
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, "now"))
    print(f"\n{name} differs from the code; `make generate` writes it")
    return 1
