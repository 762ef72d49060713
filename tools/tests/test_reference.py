"""docs/reference.md lists the public API of the three packages: every name that they have, and no other.

That Rust has the names of the table is a documentation test of `tools/doc-tests`.
"""

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

import hookweave
import hookweave.testing
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
API = (ROOT / "bindings-node" / "api" / "hookweave.api.md").read_text(encoding="utf-8")
TESTING_API = (ROOT / "bindings-node" / "api" / "hookweave-testing.api.md").read_text(encoding="utf-8")
ENGINE = ROOT / "core" / "src" / "engine"
OPTIONS = (ROOT / "bindings-python" / "python" / "hookweave" / "options.py").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
# Titles of the columns with names that languages share.
SHARED = ("all", "Python and TypeScript")

# Public, and deliberately without a row; the reason is beside each.
RUST_WITHOUT_A_ROW = {
    "BoxFuture": "the type of a future; the traits that return it are listed",
    "NoticeResult": "the texts that `notify` returns, a list in Python and TypeScript",
    "Engine::new": "a constructor",
    "Engine::builder": "a constructor",
    "EngineBuilder::build": "ends the builder",
    "SessionBuilder::open": "ends the builder",
    "Stand": "for tests: an argument of `Outcome::snapshot`",
    "Outcome::snapshot": "for tests: in testing.md",
}

MODULES_WITHOUT_A_ROW = {"compat": "the interfaces of other systems: in migration.md"}


def camel(name: str) -> str:
    """A name as TypeScript spells it."""
    head, *rest = name.strip("_").split("_")
    return head + "".join(part.capitalize() for part in rest)


def section(page: str, heading: str) -> str:
    """The text of a page below a heading, up to the next of its level."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    level = heading.split()[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"docs/{page} has no heading {heading}"
    return found[1]


def column(text: str, title: str) -> list[str]:
    """The names in code in the columns of that title: `a(b)` is `a`, `a.b` is `b`."""
    names, place = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if not line.startswith("|"):
            place = None
        elif title in cells:
            place = cells.index(title)
        elif place is not None:
            names += [re.sub(r"[(<].*", "", code) for code in CODE.findall(cells[place])]
    assert names, f"no column {title}"
    return names


def names(text: str, language: str) -> list[str]:
    """The names of a language in the tables of a text: in its own columns, and in those that it shares."""
    titles = [title for title in SHARED if re.search(rf"\| {title} \|", text)]
    shared = [name for title in titles if title == "all" or language in title for name in column(text, title)]
    own = column(text, language) if re.search(rf"\| {language} \|", text) else []
    return [camel(name) if language == "TypeScript" else name for name in shared] + own


def options(text: str, language: str) -> list[str]:
    """The options of a language in a table whose first column is `option`."""
    found = []
    for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE):
        only = re.search(r", (\w+) only$", cell)
        if only is None or only[1] == language:
            found += [camel(name) if language == "TypeScript" else name for name in CODE.findall(cell)]
    assert found, "no options found"
    return found


def exported(report: str) -> set[str]:
    """The names that a report of the Node package's API exports."""
    kinds = r"^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)"
    return {*re.findall(kinds, report, re.MULTILINE), *re.findall(r"^export \{ \w+ as (\w+) \}", report, re.MULTILINE)}


def members(name: str) -> set[str]:
    """The members of a class or interface of the Node package, with those that it inherits."""
    found = re.search(
        rf"^(?:export )?(?:class|interface) {name}\b([^{{]*)\{{\n(.*?)^\}}", API, re.DOTALL | re.MULTILINE
    )
    assert found, f"the report has no {name}"
    own = set(re.findall(r"^    (?:(?:readonly|get|set|static) )*(\w+)\??[(<:]", found[2], re.MULTILINE))
    parent = re.search(r"extends (Client\w+)", found[1])
    return (own | (members(parent[1]) if parent else set())) - {"constructor"}


def methods(type_name: str) -> set[str]:
    """The public methods of a type of the Rust engine."""
    found: set[str] = set()
    for path in [ENGINE.with_suffix(".rs"), *ENGINE.rglob("*.rs")]:
        for block in re.findall(
            rf"^impl {type_name} \{{\n(.*?)^\}}", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            found.update(re.findall(r"^    pub (?:const |async )*fn (\w+)", block, re.MULTILINE))
    assert found, f"the engine has no {type_name}"
    left_out = {name.removeprefix(f"{type_name}::") for name in RUST_WITHOUT_A_ROW if name.startswith(f"{type_name}::")}
    assert left_out <= found, "a name is left out that is not there"
    return found - left_out


def public(type_: type) -> set[str]:
    """The public members of a Python class."""
    return {name for name in dir(type_) if not name.startswith("_")}


def parameters(function: object) -> set[str]:
    """The keyword arguments of a Python function."""
    assert callable(function)
    return set(inspect.signature(function).parameters) - {"self", "cls"}


def same(table: Iterable[str], code: Iterable[str]) -> None:
    """A table and the code have the same names, and the table has each once."""
    listed = list(table)
    assert sorted(listed) == sorted(set(listed)), "a name stands twice"
    assert set(listed) - set(code) == set(), "named in the table, not in the code"
    assert set(code) - set(listed) == set(), "in the code, not named in the table"


def test_python_names() -> None:
    # The classes of events are in the page of events.
    same(names(section("reference.md", "## Names"), "Python"), set(hookweave.__all__) - set(hookweave.events.__all__))


def test_event_classes_are_the_catalogue() -> None:
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    rows = {f"{name}Event" for name in re.findall(r"^\| \*\*(\w+)\*\* \|", page, re.MULTILINE)}
    same(rows, hookweave.events.__all__)
    assert rows <= exported(API)


def test_typescript_names() -> None:
    same(names(section("reference.md", "## Names"), "TypeScript"), exported(API) - set(hookweave.events.__all__))


def rust_exports() -> tuple[set[str], set[str]]:
    """The modules at the root of the Rust crate, and the other names there."""
    source = (ROOT / "core" / "src" / "lib.rs").read_text(encoding="utf-8")
    modules = set(re.findall(r"^pub mod (\w+);|^pub use hookweave_host::(\w+);", source, re.MULTILINE))
    lists = re.findall(r"^pub use \w+::(?:\w+::)*(?:\{([^{}]*)\}|(\w+));", source, re.DOTALL | re.MULTILINE)
    names = {name for found in lists for text in found for name in re.findall(r"\w+", text)}
    roots = {name for found in modules for name in found if name}
    return roots, names - roots


def test_rust_modules() -> None:
    modules, _ = rust_exports()
    named = {name.split("::")[0] for name in names(section("reference.md", "## Names"), "Rust") if "::" in name}
    assert named & set(MODULES_WITHOUT_A_ROW) == set(), "named in the table and left out"
    same(named | set(MODULES_WITHOUT_A_ROW), modules)


def test_rust_names() -> None:
    _, root = rust_exports()
    table = names(section("reference.md", "## Names"), "Rust")
    left_out = {name for name in RUST_WITHOUT_A_ROW if "::" not in name}
    assert left_out <= root, "a name is left out that is not there"
    same((name for name in table if "::" not in name), root - left_out)


@pytest.mark.parametrize(
    ("heading", "python", "typescript", "rust"),
    [
        ("### Of a client", hookweave.HookClient, "HookClient", "Engine"),
        ("### Of a session", hookweave.Session, "Session", "Session"),
        ("## Outcome", hookweave.Outcome, "Outcome", "Outcome"),
    ],
)
def test_methods(heading: str, python: type, typescript: str, rust: str) -> None:
    table = section("reference.md", heading)
    same(names(table, "Python"), public(python))
    same(names(table, "TypeScript"), members(typescript))
    same((name for name in names(table, "Rust") if "::" not in name), methods(rust))


def test_client_options() -> None:
    table = section("reference.md", "## Client options")
    same(options(table, "Python"), parameters(hookweave.HookClient.__new__))
    same(options(table, "TypeScript"), members("ClientOptions"))
    prose = re.search(r"in Rust, where (.*?) are\s+members of `settings`", table, re.DOTALL)
    assert prose
    same({*options(table, "Rust")} - {*CODE.findall(prose[1])} | {"settings"}, methods("EngineBuilder"))


def test_hook_options() -> None:
    table = section("reference.md", "## Hook options")
    declared = re.search(r"^class HookOptions\(.*", OPTIONS, re.DOTALL | re.MULTILINE)
    assert declared
    also = re.search(r"also `(\w+)` in Python, `(\w+)` in TypeScript", table)
    assert also
    same([*options(table, "Python"), also[1]], re.findall(r"^    (\w+):", declared[0], re.MULTILINE))
    defined = (members("HookConfig") | members("HookDefinition")) - {"config", "handler"}
    same([*options(table, "TypeScript"), also[2]], defined)
    # Of those that are no method of a registration the table has what to call.
    assert {*options(table, "Rust")} - methods("Registration") == {"matcher", "enabled"}


def test_session_options() -> None:
    page = section("sessions.md", "## Options").partition("### Options of the methods")[0]
    same(options(page, "Python"), parameters(hookweave.HookClient.session))
    same(options(page, "TypeScript"), members("SessionOptions"))
    assert methods("SessionBuilder") == {name for name in CODE.findall(page.partition("```")[0]) if "(" not in name}


def test_asserts() -> None:
    table = section("testing.md", "## Asserts")
    asserts = {name for name in hookweave.testing.__all__ if name.startswith("assert_")} - {"assert_matches_snapshot"}
    same(column(table, "assert"), asserts)
    assert {camel(name) for name in asserts} <= exported(TESTING_API)
