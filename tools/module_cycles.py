"""Fails when modules of a Rust crate that stand beside each other import each other in a cycle.

The top modules of a crate are looked at, and the modules of each folder. What stands in a folder belongs to the module
of its name.

tree-sitter parses the sources. A path that begins with `crate`, `self` or `super` counts wherever it stands: in a
`use`, a signature, the body of a function or the arguments of a macro.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import tree_sitter_rust
from tree_sitter import Language, Node, Parser, Query, QueryCursor

RUST = Language(tree_sitter_rust.language())
# Where a path that stays in its crate begins. `$crate` is such a place in a macro that the crate exports.
STARTS = Query(RUST, '[(crate) (self) (super)] @start ((metavariable) @start (#eq? @start "$crate"))')
SCOPED = ("scoped_identifier", "scoped_type_identifier", "scoped_use_list")
# Parsers of a recursive language, whose modules call each other: a command stands in a word, and a word in a command.
RECURSIVE = [("line",)]
# Modules of tests alone.
TESTS = {"tests", "races"}
# The root of a crate is no module of it.
ROOTS = ("lib.rs", "main.rs")

ModulePath = tuple[str, ...]
# The modules that each module uses, each with a place where it does.
Uses = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Import:
    """A path that begins at the crate's root, and where it stands."""

    path: ModulePath
    place: str
    test: bool = False


def modules_of(source: Path) -> Uses:
    """The top modules of a crate, and what each uses. A module's folder belongs to it."""
    uses: Uses = {}
    exported = exports(source)
    for file, module in files_of(source):
        own = uses.setdefault(module[0], {})
        for used in counted(file, module):
            # A name that the root exports stands for the module that it comes from.
            name = exported.get(used.path[0], used.path[0])
            if name != module[0]:
                own.setdefault(name, used.place)
    return among(uses)


def folders_of(source: Path) -> dict[ModulePath, Uses]:
    """The folders of a crate: the modules of each, and what each uses of those beside it."""
    folders: dict[ModulePath, Uses] = {}
    for file, module in files_of(source):
        counts = [(used.path, used.place) for used in counted(file, module)]
        for depth in range(1, len(module)):
            folder, name = module[:depth], module[depth]
            own = folders.setdefault(folder, {}).setdefault(name, {})
            for path, place in counts:
                if path[:depth] == folder and len(path) > depth and path[depth] != name:
                    own.setdefault(path[depth], place)
    return {folder: among(uses) for folder, uses in folders.items()}


def counted(file: Path, module: ModulePath) -> Iterator[Import]:
    """What a file uses. Tests do not count: they may use what builds on their module."""
    if TESTS.isdisjoint(module):
        yield from (used for used in imports(file.read_bytes(), module, str(file)) if not used.test)


def files_of(source: Path) -> Iterator[tuple[Path, ModulePath]]:
    """The files of a crate with their modules, but for the root."""
    for file in sorted(source.rglob("*.rs")):
        if file.parent != source or file.name not in ROOTS:
            yield file, file.relative_to(source).with_suffix("").parts


def among(uses: Uses) -> Uses:
    """What modules use of each other."""
    return {name: {used: place for used, place in own.items() if used in uses} for name, own in uses.items()}


def exports(source: Path) -> dict[str, str]:
    """The names that a crate's root has from its modules, by name."""
    found: dict[str, str] = {}
    for root in (source / name for name in ROOTS):
        if not root.exists():
            continue
        tree = Parser(RUST).parse(root.read_bytes())
        for use in tree.root_node.named_children:
            argument = use.child_by_field_name("argument")
            if use.type == "use_declaration" and argument is not None:
                for path, alias in leaves(argument, ()):
                    local = path[1:] if path[0] in ("crate", "self") else path
                    if len(local) > 1:
                        found[alias] = local[0]
    return found


def imports(text: bytes, module: ModulePath, file: str = "") -> Iterator[Import]:
    """Every path of a file that begins with `crate`, `self` or `super`, from the crate's root on."""
    tree = Parser(RUST).parse(text)
    for start in QueryCursor(STARTS).captures(tree.root_node).get("start", ()):
        for path in paths_from(start):
            inline = inline_modules(start)
            if absolute := resolved(path, module + inline):
                yield Import(absolute, f"{file}:{start.start_point.row + 1}", "tests" in inline)


def paths_from(start: Node) -> Iterator[ModulePath]:
    """The paths that begin at a node: one, or in a `use` with braces several."""
    node, parent = start, start.parent
    if parent is not None and parent.type == "token_tree":
        yield tokens_from(start)
        return
    while parent is not None and parent.type in SCOPED and parent.child_by_field_name("path") == node:
        node, parent = parent, parent.parent
    # In braces it begins nothing of its own, alone it is a value or a visibility, and `pub(in …)` uses nothing.
    if parent is None or parent.type == "visibility_modifier" or (node == start and parent.type != "use_wildcard"):
        return
    yield from (path for path, _ in leaves(node, ()))


def leaves(node: Node, prefix: ModulePath) -> Iterator[tuple[ModulePath, str]]:
    """The paths of a path or of a tree of a `use`, each with the name that it has here."""
    match node.type:
        case "use_as_clause":
            original, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            assert original is not None
            assert alias is not None
            yield from ((path, text(alias)) for path, _ in leaves(original, prefix))
        case "use_wildcard":
            yield from ((path, "*") for path, _ in leaves(node.named_children[0], prefix))
        case "use_list":
            for child in node.named_children:
                yield from leaves(child, prefix)
        case "scoped_use_list":
            start, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            assert inner is not None
            yield from leaves(inner, prefix + (segments(start) if start is not None else ()))
        case _ if path := segments(node):
            # `self` in braces is the module before them.
            path = prefix + path if path != ("self",) or not prefix else prefix
            yield path, path[-1]


def segments(node: Node) -> ModulePath:
    """The names of a path without its generic arguments."""
    if node.type in ("identifier", "type_identifier", "crate", "self", "super", "metavariable"):
        return (text(node).removeprefix("$"),)
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if name is None:
        return ()
    return (segments(path) if path is not None else ()) + segments(name)


def tokens_from(start: Node) -> ModulePath:
    """The path that begins at a token of a macro's arguments, which the grammar leaves as tokens."""
    path, colons, node = [text(start).removeprefix("$")], False, start.next_sibling
    while node is not None and (node.type == "::" or (colons and node.is_named)):
        if colons := node.type == "::":
            node = node.next_sibling
            continue
        path.append(text(node))
        node = node.next_sibling
    return tuple(path)


def resolved(path: ModulePath, module: ModulePath) -> ModulePath:
    """A path from the crate's root on, without its keywords; empty when it names the root itself."""
    base = () if path[0] == "crate" else module
    for index, name in enumerate(path):
        if name == "super":
            base = base[:-1]
        elif name not in ("crate", "self"):
            return base + path[index:]
    return base


def inline_modules(node: Node) -> ModulePath:
    """The modules with a body that a node stands in, from the outside in."""
    names: list[str] = []
    while (parent := node.parent) is not None:
        node = parent
        if node.type == "mod_item" and (name := node.child_by_field_name("name")) is not None:
            names.insert(0, text(name))
    return tuple(names)


def text(node: Node) -> str:
    """The source text of a node."""
    assert node.text is not None
    return node.text.decode()


def cycle_of(uses: Uses) -> list[str] | None:
    """A cycle of modules, each used by the one after it; the first one is named again at the end."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def described(uses: Uses, cycle: list[str]) -> str:
    """A cycle in words, each use with its place."""
    pairs = zip(cycle[1:], cycle, strict=False)
    return "\n".join(f"  {user} uses {used} at {uses[user][used]}" for user, used in pairs)


def main() -> int:
    """Checks the given crates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path, help="folders such as bindings-node/src")
    failed = False
    for source in parser.parse_args().sources:
        uses = modules_of(source)
        if not uses:
            parser.error(f"{source} has no modules")
        folders = {folder: beside for folder, beside in folders_of(source).items() if folder not in RECURSIVE}
        for folder, beside in {(): uses, **folders}.items():
            if cycle := cycle_of(beside):
                failed = True
                place = source.joinpath(*folder)
                print(f"{place}: modules use each other in a cycle:\n{described(beside, cycle)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
