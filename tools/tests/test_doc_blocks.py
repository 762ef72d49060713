"""Code in the documents is executed, or its page says why not."""

from pathlib import Path

import doc_blocks
import pytest
from markdown_pages import blocks, replace_section


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(doc_blocks, "ROOT", tmp_path)
    monkeypatch.setattr(doc_blocks, "WORK", tmp_path)
    return tmp_path / "page.md"


def problems(page: Path) -> list[str | None]:
    programs, cases = doc_blocks.collect([page])
    return [case.problem for case in [*cases, *doc_blocks.run_python(programs)]]


def test_a_block_that_raises_fails(page: Path) -> None:
    page.write_text("```python\nraise SystemExit(3)\n```\n")
    [problem] = problems(page)
    assert problem is not None
    assert "exit code 3" in problem


def test_a_block_continues_the_one_before(page: Path) -> None:
    page.write_text("```python\nx = 1\n```\n\n<!-- continues -->\n```python\nassert x == 1\n```\n")
    assert problems(page) == [None, None]


@pytest.mark.parametrize(("shown", "fine"), [("2\n", True), ("3\n", False)])
def test_what_a_page_shows_is_what_the_block_prints(page: Path, shown: str, fine: bool) -> None:
    page.write_text(f"```python\nprint(1 + 1)\n```\n\n<!-- prints -->\n```text\n{shown}```\n")
    assert (problems(page) == [None]) is fine


def test_a_block_is_left_out_only_with_a_reason(page: Path) -> None:
    page.write_text("<!-- not run: asks a model -->\n```python\n1 / 0\n```\n<!-- not run: -->\n```python\n```\n")
    _, cases = doc_blocks.collect([page])
    assert [(case.skipped, case.problem) for case in cases] == [
        ("asks a model", None),
        (None, "`not run:` gives no reason"),
    ]


def test_a_comment_belongs_to_the_next_block_only(page: Path) -> None:
    page.write_text("<!-- not run: a note -->\nwords\n\n```python\nx = 1\n```\n")
    assert problems(page) == [None]


@pytest.mark.parametrize(("text", "fine"), [("x = 1", True), ("x = 2", False)])
def test_a_block_that_shows_a_file_is_what_is_in_it(page: Path, text: str, fine: bool) -> None:
    (page.parent / "shown.py").write_text("x = 1\n")
    page.write_text(f"<!-- file: shown.py -->\n```python\n{text}\n```\n")
    [problem] = problems(page)
    assert (problem is None) is fine


def test_a_file_that_is_gone_is_no_file_to_show(page: Path) -> None:
    page.write_text("<!-- file: gone.py -->\n```python\nx = 1\n```\n")
    assert problems(page) == ["there is no file gone.py"]


def test_unknown_languages_need_a_reason(page: Path) -> None:
    page.write_text("```sh\nmake demo\n```\n")
    [problem] = problems(page)
    assert problem is not None
    assert "not run:" in problem


def test_json_is_parsed(page: Path) -> None:
    page.write_text('```json\n{ "action": }\n```\n```json\n{ "action": "block" }\n```\n')
    first, second = problems(page)
    assert first is not None
    assert second is None


def test_a_block_that_is_never_closed_is_an_error(page: Path) -> None:
    page.write_text("```python\nx = 1\n")
    with pytest.raises(ValueError, match="never closed"):
        list(blocks(page))


def test_a_section_is_replaced_and_the_rest_stays(page: Path) -> None:
    page.write_text("before\n<!-- figures:begin -->\nold\n<!-- figures:end -->\nafter\n")
    replace_section(page, "figures", "new")
    once = page.read_text()
    replace_section(page, "figures", "new")
    assert once == page.read_text() == "before\n<!-- figures:begin -->\n\nnew\n\n<!-- figures:end -->\nafter\n"
