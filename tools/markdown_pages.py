"""Fenced code blocks and marked sections of the project's Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`]*)$")
COMMENT = re.compile(r"^\s*<!--\s*(?P<text>.*?)\s*-->\s*$")


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language, its text, and the comment right above it."""

    page: Path
    line: int
    language: str
    text: str
    comment: str

    @property
    def not_run(self) -> str | None:
        """Why the block is not executed, as its page says: `<!-- not run: REASON -->`."""
        before, mark, reason = self.comment.partition("not run:")
        return reason.strip() if mark and not before.strip() else None

    @property
    def continues(self) -> bool:
        """Whether the block goes on where the page's last block of its language ended: `<!-- continues -->`."""
        return self.comment == "continues"

    @property
    def file(self) -> str | None:
        """The file of the project that the block shows whole: `<!-- file: PATH -->`."""
        before, mark, path = self.comment.partition("file:")
        return path.strip() if mark and not before.strip() else None

    @property
    def is_output(self) -> bool:
        """Whether the block shows what the block before it prints: `<!-- prints -->`."""
        return self.comment == "prints"


def blocks(page: Path) -> Iterator[Block]:
    """Every fenced block of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    comment, index = "", 0
    while index < len(lines):
        line = lines[index]
        if opening := FENCE.match(line):
            closing, start = opening["indent"] + opening["fence"], index + 1
            end = next((i for i in range(start, len(lines)) if lines[i].rstrip() == closing), None)
            if end is None:
                raise ValueError(f"{page}:{index + 1}: the block is never closed")
            indent = len(opening["indent"])
            text = "\n".join(body[indent:] for body in lines[start:end]) + "\n"
            yield Block(page, index + 1, opening["info"].strip(), text, comment)
            index, comment = end, ""
        elif note := COMMENT.match(line):
            comment = note["text"]
        elif line.strip():
            comment = ""
        index += 1


def replace_section(page: Path, name: str, body: str) -> None:
    """Puts a body between `<!-- NAME:begin -->` and `<!-- NAME:end -->`; the rest of the page stays."""
    try:
        text = with_section(page.read_text(encoding="utf-8"), name, body)
    except ValueError as error:
        raise ValueError(f"{page}: {error}") from error
    page.write_text(text, encoding="utf-8")


def with_section(text: str, name: str, body: str) -> str:
    """A page's text with another body between the marks of a section."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    head, found_begin, rest = text.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not (found_begin and found_end):
        raise ValueError(f"there is no section {begin} … {end}")
    return f"{head}{begin}\n\n{body.strip()}\n\n{end}{tail}"
