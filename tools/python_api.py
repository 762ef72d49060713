"""Writes the public API of the package to ``bindings-python/api.txt``, so that a change of it shows in a diff.

``python tools/python_api.py [--check]`` reads the sources and stubs. With ``--check`` it writes nothing, and
fails when the committed file differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe
from api_file import write_or_check

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings-python"
FILE = PACKAGE / "api.txt"
MODULES = (
    "hookweave",
    "hookweave.audit",
    "hookweave.telemetry",
    "hookweave.testing",
    "hookweave.compat.a3s",
    "hookweave.compat.amplifier",
    "hookweave_pytest",
)
NOTICE = "# The public API of the Python package; `make generate` writes this file."
# Members that do not change what a class can do.
LEFT_OUT = {"__slots__", "__repr__", "__reduce__", "__all__", "__class_getitem__", "__init_subclass__"}


class Writer:
    """Writes declarations as a stub has them; a name that stands in several modules is declared once."""

    def __init__(self, packages: griffe.ModulesCollection) -> None:
        self._packages = packages
        self._home: dict[str, str] = {}
        """The first public name of each object, by the path of its definition."""
        for module in MODULES:
            for name in self.names(module):
                target = self._target(module, name)
                self._home.setdefault(target.path, f"{module}.{name}")

    def names(self, module: str) -> list[str]:
        """The names that a module exports."""
        return sorted(str(name) for name in self._packages[module].exports or ())

    def _target(self, module: str, name: str) -> griffe.Object:
        found = self._packages[f"{module}.{name}"]
        return found.final_target if isinstance(found, griffe.Alias) else found

    def module(self, module: str) -> Iterator[str]:
        """The declarations of a module."""
        yield f"# --- {module} ---"
        for name in self.names(module):
            target = self._target(module, name)
            home = self._home[target.path]
            if home != f"{module}.{name}":
                yield f"from {home.rpartition('.')[0]} import {name}"
            elif isinstance(target, griffe.Module):
                yield f"from {module} import {name}"
            else:
                yield from self._declaration(target, "")

    def types(self) -> Iterator[str]:
        """The types that signatures name and no public module exports."""
        yield "# --- types in signatures ---"
        for module in self._packages["hookweave"].modules.values():
            if not module.name.startswith("_"):
                for name in self.names(module.path):
                    target = self._target(module.path, name)
                    if isinstance(target, griffe.Attribute) and target.path not in self._home:
                        yield from self._attribute(target, "")

    def _declaration(self, target: griffe.Object, indent: str) -> Iterator[str]:
        if isinstance(target, griffe.Class):
            yield from self._class(target, indent)
        elif isinstance(target, griffe.Function):
            yield from self._function(target, indent)
        elif isinstance(target, griffe.Attribute):
            yield from self._attribute(target, indent)

    def _class(self, target: griffe.Class, indent: str) -> Iterator[str]:
        private = {base.name for base in self._private_bases(target)}
        bases = [str(base) for base in target.bases if str(base) not in private]
        for decorator in target.decorators:
            yield f"{indent}@{decorator.value}"
        yield f"{indent}class {target.name}({', '.join(bases)}):" if bases else f"{indent}class {target.name}:"
        members = self._members(target)
        for member in members:
            yield from self._declaration(member, indent + "    ")
        if not members:
            yield f"{indent}    ..."

    def _private_bases(self, target: griffe.Class) -> list[griffe.Class]:
        """The bases in the package that have no public name; what they declare stands in the derived class."""
        found: list[griffe.Class] = []
        for base in target.resolved_bases:
            if isinstance(base, griffe.Class) and base.path not in self._home:
                found += [*self._private_bases(base), base]
        return found

    def _members(self, target: griffe.Class) -> list[griffe.Object]:
        """The public members of a class, and those of its private bases."""
        members: dict[str, griffe.Object] = {}
        # A dataclass is made with its fields.
        left_out = LEFT_OUT | ({"__init__"} if "dataclass" in target.labels else set())
        for cls in [*self._private_bases(target), target]:
            for name, found in cls.members.items():
                if name not in left_out and (not name.startswith("_") or name.endswith("__")):
                    members[name] = found.final_target if isinstance(found, griffe.Alias) else found
        return list(members.values())

    def _function(self, target: griffe.Function, indent: str) -> Iterator[str]:
        shown = target.overloads[0] if target.overloads else target
        for decorator in shown.decorators:
            if str(decorator.value) != "overload":
                yield f"{indent}@{decorator.value}"
        if target.overloads:
            yield f"{indent}# One of {len(target.overloads)} overloads, which are in {target.module.path}."
        keyword = "async def" if "async" in target.labels else "def"
        yield f"{indent}{keyword} {self._signature(shown)}: ..."

    def _signature(self, target: griffe.Function) -> str:
        """The signature; that of a method with its first parameter."""
        if not isinstance(target.parent, griffe.Class) or "staticmethod" in target.labels:
            return target.signature()
        own, written = target.parameters[0].name, target.signature()
        rest = written.removeprefix(f"{target.name}(")
        return f"{target.name}({own}{rest if rest.startswith(')') else f', {rest}'}"

    def _attribute(self, target: griffe.Attribute, indent: str) -> Iterator[str]:
        if "property" in target.labels:
            yield f"{indent}@property"
            yield f"{indent}def {target.name}(self) -> {target.annotation}: ..."
            return
        if "class-attribute" not in target.labels and isinstance(target.parent, griffe.Class):
            # What methods assign to it is not for readers.
            yield f"{indent}{target.name}: {target.annotation or 'Any'}"
            return
        kind = f": {target.annotation}" if target.annotation is not None else ""
        value = f" = {target.value}" if target.value is not None else ""
        yield f"{indent}{target.name}{kind}{value}"


def text() -> str:
    """The public API, as the file holds it."""
    loader = griffe.GriffeLoader(search_paths=[str(PACKAGE / "python")], allow_inspection=False)
    for package in {module.partition(".")[0] for module in MODULES}:
        loader.load(package)
    loader.resolve_aliases(external=False)
    writer = Writer(loader.modules_collection)
    lines = [NOTICE, *(line for module in MODULES for line in writer.module(module)), *writer.types(), ""]
    layout = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--quiet",
        "--isolated",
        "--line-length",
        "120",
        "--stdin-filename",
        "api.pyi",
        "-",
    ]
    return subprocess.run(layout, input="\n".join(lines), capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Writes the file, or compares it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file differs")
    check = parser.parse_args().check
    return write_or_check(FILE, text(), check)


if __name__ == "__main__":
    sys.exit(main())
