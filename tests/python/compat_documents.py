"""Examples of other systems' documents: kept as they are, run with their import path replaced."""

from __future__ import annotations
import __future__

import ast
import inspect
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "compat_examples"
IMPORTS = {"from a3s_box import": "from hookweave.compat.a3s import"}
# The documents' annotations name things that they do not import, and wait outside of functions.
FLAGS = __future__.annotations.compiler_flag | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def example(system: str, name: str) -> str:
    """The example of this name, with nothing replaced but import paths."""
    page = (FOLDER / f"{system}.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(name)}\n\n```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{system}.md has no example `{name}`"
    source = found[1]
    for theirs, ours in IMPORTS.items():
        source = source.replace(theirs, ours)
    return source


async def run(source: str, **surroundings: Any) -> dict[str, Any]:
    """Runs an example among what its document takes for granted; gives what it defines."""
    names = {"__name__": "example", **surroundings}
    code = compile(source, "<example>", "exec", flags=FLAGS)
    waiting = eval(code, names)
    if inspect.iscoroutine(waiting):
        await waiting
    return names
