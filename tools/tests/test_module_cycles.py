"""Cycles of Rust modules are found, however the modules are imported."""

from __future__ import annotations

from pathlib import Path

import pytest
from module_cycles import cycle_of, modules_of, used_in


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
        ("use crate::one::Thing;", ["one"]),
        ("fn f() { crate::one::call() }", ["one"]),
        ("use crate::{one::{A, b}, two, three::C};", ["one", "two", "three"]),
        ("use crate::{\n    one::A,\n    two::{\n        B,\n        C,\n    },\n};", ["one", "two"]),
        ("use other_crate::one;", []),
    ],
)
def test_every_form_of_import_is_read(text: str, used: list[str]) -> None:
    assert list(used_in(text)) == used


def test_a_cycle_is_named(tmp_path: Path) -> None:
    files = {"lib.rs": "mod a; mod b; mod c;", "a.rs": "use crate::b::B;", "b.rs": "use crate::c::C;"}
    files["c.rs"] = "use crate::{a::A};"
    cycle = cycle_of(modules_of(crate(tmp_path, files)))
    assert cycle is not None
    assert set(cycle) == {"a", "b", "c"}


def test_a_folder_belongs_to_its_module(tmp_path: Path) -> None:
    files = {"a.rs": "", "a/inner.rs": "use crate::b::B; use crate::a::A;", "b.rs": "use crate::a::A;"}
    assert cycle_of(modules_of(crate(tmp_path, files))) is not None


def test_comments_and_the_root_are_no_imports(tmp_path: Path) -> None:
    files = {"lib.rs": "use crate::a::A;", "a.rs": "use crate::b::B;", "b.rs": "//! As in [`crate::a`].\n"}
    assert cycle_of(modules_of(crate(tmp_path, files))) is None
