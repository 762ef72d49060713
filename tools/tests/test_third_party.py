"""The licences of what is compiled into the packages: which texts are taken, and how they are written down."""

from __future__ import annotations

from pathlib import Path

import pytest
import third_party
from third_party import Crate

MIT, APACHE, NOTICE = "MIT text\n", "Apache text\n", "Notice\n"


@pytest.mark.parametrize(
    ("licence", "files", "taken"),
    [
        ("MIT OR Apache-2.0", {"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, ["MIT text"]),
        ("MIT OR Apache-2.0", {"LICENSE-MIT.md": MIT, "NOTICE": NOTICE}, ["MIT text", "Notice"]),
        ("MIT OR Apache-2.0", {"LICENSE": MIT, "license-apache": APACHE}, ["MIT text", "Apache text"]),
        ("Apache-2.0", {"LICENSE-APACHE": APACHE, "README.md": "no licence"}, ["Apache text"]),
        ("MIT AND Unicode-3.0", {"LICENSE-MIT": MIT, "LICENSE-UNICODE": "Unicode"}, ["MIT text", "Unicode"]),
        ("MIT-0 OR Apache-2.0", {"LICENSE-APACHE": APACHE, "LICENSE-MIT-0": "Zero"}, ["Apache text", "Zero"]),
        ("MIT", {"README.md": "no licence"}, []),
    ],
)
def test_the_texts_of_a_crate(tmp_path: Path, licence: str, files: dict[str, str], taken: list[str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert list(Crate("one", "1.0.0", licence, tmp_path).texts()) == taken


def test_a_text_is_written_once_with_all_that_use_it(tmp_path: Path) -> None:
    for name, text in {"a": "Same \r\n", "b": "Same\n", "c": "Other\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "LICENSE").write_text(text, "utf-8", newline="")
    (tmp_path / "d").mkdir()
    page = third_party.page([Crate(name, "1.0.0", "ISC", tmp_path / name) for name in "abcd"])
    assert page.count("Same") == 1
    assert f"{third_party.RULE}\na, b\n{third_party.RULE}\n\nSame\n" in page
    assert "a 1.0.0: ISC\nb 1.0.0: ISC\n" in page
    assert "no text of their licence in their package:\nd (ISC)\n" in page


def test_what_is_listed_is_what_the_programs_contain() -> None:
    found = {crate.name for crate in third_party.crates()}
    assert {"pyo3", "napi", "clap", "regex"} <= found
    # Of tests, and of the workspace itself.
    assert not found & {"proptest", "rcgen", "hookweave", "hookweave-machine"}
