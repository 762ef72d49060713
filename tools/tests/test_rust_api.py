"""The public API of the Rust crate: crates are joined, and what follows from other lines is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rust_api


def description(name: str, items: dict[int, dict[str, Any]], paths: dict[int, tuple[int, list[str], str]]) -> Any:
    """A crate as rustdoc describes it; its root is 0."""
    index = {str(number): {"id": number, "crate_id": 0, **item} for number, item in items.items()}
    known = {str(number): {"crate_id": c, "path": path, "kind": kind} for number, (c, path, kind) in paths.items()}
    index["0"]["name"] = name
    return {"root": 0, "index": index, "paths": known, "format_version": rust_api.FORMAT}


def test_a_type_that_the_crate_exports_has_its_methods_from_the_crate_that_defines_it() -> None:
    outer = description(
        "hookweave",
        {0: {"inner": {"module": {"items": [1]}}}, 1: {"inner": {"use": {"source": "inner::Thing", "id": 7}}}},
        {0: (0, ["hookweave"], "module"), 7: (1, ["inner", "Thing"], "struct")},
    )
    inner = description(
        "inner",
        {
            0: {"inner": {"module": {"items": [1]}}},
            1: {"name": "Thing", "inner": {"struct": {"kind": {"tuple": [None]}, "impls": [2]}}},
            2: {"inner": {"impl": {"items": [3], "trait": None}}},
            3: {"name": "method", "span": {"begin": [3, 1]}, "links": {"`Thing`": 1}},
        },
        {0: (0, ["inner"], "module"), 1: (0, ["inner", "Thing"], "struct")},
    )
    for crates in ([outer, inner], [inner, outer]):
        whole = rust_api.joined(crates)
        index = whole["index"]
        root = index[str(whole["root"])]
        assert root["name"] == "hookweave"
        used = index[str(root["inner"]["module"]["items"][0])]
        thing = index[str(used["inner"]["use"]["id"])]
        methods = index[str(thing["inner"]["struct"]["impls"][0])]
        method = index[str(methods["inner"]["impl"]["items"][0])]
        assert (thing["name"], method["name"]) == ("Thing", "method")
        assert method["span"] == {"begin": [3, 1]}
        assert method["links"] == {"`Thing`": thing["id"]}


def test_what_follows_from_other_lines_is_left_out() -> None:
    lines = [
        "pub struct a::S",
        "impl a::S",
        "pub fn a::S::new() -> Self",
        "impl core::clone::Clone for a::S",
        "pub fn a::S::clone(&self) -> a::S",
        "impl core::iter::Iterator for a::S",
        "pub type a::S::Item = u8",
        "pub fn a::S::next(&mut self) -> core::option::Option<u8>",
        "impl core::marker::Send for a::S",
        "impl !core::marker::Sync for a::S",
        "impl !core::panic::unwind_safe::UnwindSafe for a::S",
        "pub trait a::T",
        "pub fn a::T::required(&self)",
    ]
    kept = [line for index, line in enumerate(lines) if index not in (4, 7, 8, 10)]
    assert list(rust_api.shortened(lines)) == kept


def test_a_type_that_no_user_can_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rust_api, "other_format", lambda: None)
    monkeypatch.setattr(rust_api, "described", list)
    monkeypatch.setattr(rust_api, "joined", lambda crates: crates)
    lines = [
        "pub fn hookweave::Engine::audit(&self) -> &hookweave::audit::Audit",
        "pub fn hookweave::TrustStore::usual(&hookweave_files::places::Directories) -> Self",
        "impl hookweave_machine::observer::Observer for hookweave::audit::Audit",
    ]
    monkeypatch.setattr(rust_api, "listed", lambda _: lines)
    monkeypatch.setattr("sys.argv", ["rust_api.py", "--check"])
    assert rust_api.main() == 1
    out = capsys.readouterr().out
    assert out.count("has no path") == 1 and "`hookweave_files::places::Directories` has no path" in out


def test_another_format_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = rust_api.FILE.read_bytes()
    monkeypatch.setattr(rust_api, "FORMAT", -1)
    monkeypatch.setattr("sys.argv", ["rust_api.py"])
    assert rust_api.main() == 0
    assert "rustdoc writes format" in capsys.readouterr().out
    assert rust_api.FILE.read_bytes() == before


def test_a_changed_name_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rust_api, "other_format", lambda: None)
    monkeypatch.setattr(rust_api, "described", list)
    monkeypatch.setattr(rust_api, "joined", lambda crates: crates)
    monkeypatch.setattr(rust_api, "FILE", tmp_path / "api.txt")
    monkeypatch.setattr(rust_api, "listed", lambda _: ["pub fn hookweave::old()"])
    monkeypatch.setattr("sys.argv", ["rust_api.py"])
    assert rust_api.main() == 0
    monkeypatch.setattr("sys.argv", ["rust_api.py", "--check"])
    assert rust_api.main() == 0
    monkeypatch.setattr(rust_api, "listed", lambda _: ["pub fn hookweave::new()"])
    assert rust_api.main() == 1
    assert "-pub fn hookweave::old()\n+pub fn hookweave::new()\n" in capsys.readouterr().out
