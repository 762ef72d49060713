"""Cycles of Rust modules are found, wherever and however the modules are imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from module_cycles import cycle_of, folders_of, imports, main, modules_of


def crate(folder: Path, files: dict[str, str]) -> Path:
    """Writes the sources of a crate."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("use crate::one::Thing;", ["one::Thing"]),
        ("pub use crate::one::{Thing as Other, deep::*};", ["one::Thing", "one::deep"]),
        ("use crate::{one::{self, A}, two, three::C};", ["one", "one::A", "two", "three::C"]),
        ("use crate::{\n    one::A,\n    two::{\n        B,\n    },\n};", ["one::A", "two::B"]),
        ("fn f() { crate::one::call::<crate::two::T>() }", ["one::call", "two::T"]),
        ("fn f(a: &crate::one::A<'_>) -> impl crate::two::T { a.b }", ["one::A", "two::T"]),
        ("#[derive(crate::one::Derive)] struct S;", ["one::Derive"]),
        ("fn f() { vec![crate::one::A, super::two()]; }", ["one::A", "module::two"]),
        ("macro_rules! m { () => { $crate::one::call() }; }", ["one::call"]),
        ("use super::sibling::A;", ["module::sibling::A"]),
        ("use super::super::one::A; use self::inner::B;", ["one::A", "module::file::inner::B"]),
        ("mod tests { use super::*; use super::super::sibling::A; }", ["module::file", "module::sibling::A"]),
        ("pub(crate) fn f(self) { self.x; Self::y() } pub(in crate::one) struct S;", []),
        ('// crate::one\n/// [`crate::two`]\nconst C: &str = "crate::three::A";', []),
        ("use other_crate::one;", []),
    ],
)
def test_every_form_of_import_is_read(text: str, used: list[str]) -> None:
    assert ["::".join(found.path) for found in imports(text.encode(), ("module", "file"))] == used


def test_a_cycle_is_named(tmp_path: Path) -> None:
    files = {"lib.rs": "mod a; mod b; mod c;", "a.rs": "use crate::b::B;", "b.rs": "use crate::c::C;"}
    files["c.rs"] = "use crate::{a::A};"
    cycle = cycle_of(modules_of(crate(tmp_path, files)))
    assert cycle is not None
    assert set(cycle) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "back",
    [
        "use super::a::A;",
        "fn f() { crate::a::call(); }",
        "fn f() -> super::a::A { todo!() }",
        "fn f() { vec![crate::a::call()]; }",
        "use crate::Renamed;",
    ],
)
def test_a_cycle_is_found_wherever_its_paths_stand(
    tmp_path: Path, back: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = "mod a; mod b; pub use a::A as Renamed;"
    source = crate(tmp_path, {"lib.rs": root, "a.rs": "use super::b::B;", "b.rs": f"\n{back}"})
    monkeypatch.setattr("sys.argv", ["module_cycles.py", str(source)])
    assert main() == 1
    assert f"b uses a at {source / 'b.rs'}:2" in capsys.readouterr().out


def test_a_folder_belongs_to_its_module(tmp_path: Path) -> None:
    files = {"a.rs": "", "a/inner.rs": "use crate::b::B; use super::super::a::A;", "b.rs": "use crate::a::A;"}
    assert cycle_of(modules_of(crate(tmp_path, files))) is not None


def test_comments_and_the_root_are_no_imports(tmp_path: Path) -> None:
    files = {"lib.rs": "use crate::a::A;", "a.rs": "use crate::b::B;", "b.rs": "//! As in [`crate::a`].\n"}
    assert cycle_of(modules_of(crate(tmp_path, files))) is None


def test_what_the_root_exports_under_the_name_of_its_own_module_is_no_cycle(tmp_path: Path) -> None:
    files = {"lib.rs": "mod a; mod b; pub use a::A; pub struct Root;", "a.rs": "use crate::b::B; use crate::Root;"}
    files["b.rs"] = "use crate::Root;"
    assert cycle_of(modules_of(crate(tmp_path, files))) is None


def test_a_cycle_of_the_files_of_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"lib.rs": "mod a;", "a.rs": "mod b; mod c;", "a/b.rs": "use super::c::C;"}
    files["a/c/deep.rs"] = "\nfn f() { crate::a::b::call() }"
    source = crate(tmp_path, files)
    monkeypatch.setattr("sys.argv", ["module_cycles.py", str(source)])
    assert main() == 1
    found = capsys.readouterr().out
    assert f"{source / 'a'}: modules use each other" in found
    assert f"c uses b at {source / 'a/c/deep.rs'}:2" in found


@pytest.mark.parametrize(
    "files",
    [
        {"a.rs": "mod b; use b::B;", "a/b.rs": "use super::Of;"},
        {"a/b.rs": "mod tests { use crate::a::c::C; }", "a/c.rs": "use super::b::B;"},
        {"a/b/tests.rs": "use crate::a::c::C;", "a/c.rs": "use super::b::B;"},
        {"a/b.rs": "use crate::a::c::C;", "a/c.rs": "use crate::b::B;", "b.rs": "", "b/c.rs": "use crate::a::b::B;"},
    ],
)
def test_a_folder_may_use_its_module_and_tests_what_builds_on_theirs(tmp_path: Path, files: dict[str, str]) -> None:
    assert [cycle_of(uses) for uses in folders_of(crate(tmp_path, files)).values() if cycle_of(uses)] == []
