"""Checks the prose of the documents with proselint: its own checks and the style of this project."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_pages import FENCE
from proselint import checks
from proselint.config import Config
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckResult
from proselint.registry.checks.types import Existence
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parent.parent
# Written by programs: their generators hold the words.
GENERATED = {"docs/BENCHMARKS.md", "docs/events.md"}
PAGES = (
    *("*.md", "core/README.md", "core/*/README.md", "cli/README.md", "docs/**/*.md"),
    *("examples/README.md", "examples/*/README.md", "tests/*/README.md", "tests/vectors/*/README.md"),
    "policies/*/README.md",
)
MAX_WORDS = 40
STYLE = "hookweave"

# A word or phrase that the documents do not use, and what to write instead.
BANNED = {
    r"(?:who|what|which|whom)ever": "name the person or thing, or write `any`",
    r"(?:nobody|somebody|anybody|everybody|no one)": "name the person or the component",
    r"(?:said|told|heard|hears)": "`reported`, `recorded`, `set`, `notified`: name what happens",
    r"unless (?:said|told|given|asked)": "`by default`, `defaults to`",
    r"(?:when|where|if) not (?:said|told|given)": "`by default`, `defaults to`",
    r"(?:loud|loudly|quiet|quietly)": "what happens: `logged`, `no-op`",
    r"(?:slip|slips)": "`typo`, `misspelling`, `bypass`",
    r"(?:mend|mends|mended)": "`fix`",
    r"and (?:its|their) kin": "name the members, or `similar files`",
    r"at home": "name the system: `in Claude Code`, `in the original system`",
    r"(?:will|may) surprise": "`likely mistakes`",
    r"(?:goes|go|going|went) on": "`continues`, `proceeds`",
    r"(?:hand|hands|handed|handing) (?:on|over)": "`pass on`, `forward`",
    r"(?:stands|stood) (?:in|at|on|beside|behind|there|right|left)": "`is in`, `is at`",
    r"anew": "`again`",
    r"(?:comes|came|come) of (?:it|this|that)": "`the result`",
    r"(?:black|blacked|blacks) out": "`redact`",
    r"(?:made|make|makes) no sense": "`invalid`",
    r"(?:pass|passes|passed|passing) over": "`skip`",
    r"(?:cannot|can) be told": "`cannot be determined`",
    r"with(?:in|out) (?:a|any) words?": "`without notice`, `silently`",
    r"in (?:its|their|other) (?:own )?words": "`in its format`",
}

# proselint's checks that suit reference pages; the others are about essays, spelling variants or typography.
ENABLED = {
    "annotations": True,
    "archaism": True,
    "cliches": True,
    "lexical_illusions": True,
    "malapropisms": True,
    "misc.apologizing": True,
    "misc.back_formations": True,
    "misc.illogic": True,
    "misc.many_a": True,
    "misc.metadiscourse": True,
    "misc.pretension": True,
    "misc.whence": True,
    "mondegreens": True,
    "nonwords": True,
    "redundancy": True,
    "weasel_words": True,
    STYLE: True,
}

CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"</?[a-z][^>]*>")
TARGET = re.compile(r"(?<=\])\([^)\s]*\)")
# Where a paragraph, list item, table cell or heading begins.
BREAK = re.compile(r"\n[ \t]*\n|\n[ \t]*(?=(?:#+|[*\-|>]|\d+\.)[ \t|-])|(?<!\\)\|")
SENTENCE_END = re.compile(r"(?<=[.!?])[)*_”\"]*\s+(?=[A-Z*_(\[“\"]|x{2})")
# What a phrase cannot reach over: the end of a paragraph, and code.
CROSSES = re.compile(r"\n[ \t]*\n|xx")
WORD = re.compile(r"\w[\w'\u2019.-]*")


def blanked(found: re.Match[str]) -> str:
    """As many spaces and line ends as there are letters."""
    return re.sub(r"[^\n]", " ", found[0])


def prose_of(page: str) -> str:
    """A page's text at the same places, without fenced blocks, comments and addresses; code is one word."""
    lines, fenced = [], False
    for line in page.splitlines(keepends=True):
        is_fence = FENCE.match(line.rstrip("\n")) is not None
        lines.append(" " * (len(line) - 1) + "\n" if fenced or is_fence else line)
        fenced = fenced is not is_fence
    text = "".join(lines)
    for pattern in (COMMENT, TAG):
        text = pattern.sub(blanked, text)
    text = CODE.sub(lambda found: re.sub(r"[^\n]", "x", found[0]), text)
    return TARGET.sub(blanked, text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Each sentence of a text and where it begins."""
    start = 0
    for mark in [*BREAK.finditer(text), None]:
        end = mark.start() if mark else len(text)
        begin = start
        for stop in [*SENTENCE_END.finditer(text, start, end), None]:
            yield begin, text[begin : stop.start() if stop else end]
            begin = stop.end() if stop else end
        start = mark.end() if mark else end


def long_sentences(text: str, check: Check) -> Iterator[CheckResult]:
    """Sentences of more words than a reader in a hurry keeps in mind."""
    for start, sentence in sentences(text):
        if (count := len(WORD.findall(sentence))) > MAX_WORDS:
            at = start + len(sentence) - len(sentence.lstrip())
            yield CheckResult(check.path, check.message.format(count), (at, at + 1), None)


def style() -> tuple[Check, ...]:
    """The checks of this project."""
    words = (
        # A phrase may stand on two lines.
        Check(Existence((pattern.replace(" ", r"\s+"),)), path=f"{STYLE}.words", message=f"`{{}}`: write {instead}.")
        for pattern, instead in BANNED.items()
    )
    length = Check(
        long_sentences, path=f"{STYLE}.sentence", message=f"A sentence of {{}} words; at most {MAX_WORDS}: split it."
    )
    return (*words, length)


def pages() -> list[Path]:
    """The pages that people write."""
    found = [page for pattern in PAGES for page in ROOT.glob(pattern)]
    return sorted(page for page in found if str(page.relative_to(ROOT)) not in GENERATED)


def findings(name: str, page: str) -> list[str]:
    """What is wrong with a page, as `name:line:column: check: message`."""
    text = prose_of(page)
    # proselint puts a line end in front of the text: its places are one further.
    return [
        f"{name}:{line}:{column}: {result.check_path}: {' '.join(result.message.split())}"
        for result, (line, column) in LintFile(name, text).lint(Config(max_errors=0x7FFF, checks=ENABLED))
        if not CROSSES.search(text, result.span[0] - 1, result.span[1] - 1)
    ]


def main() -> int:
    """Checks the given pages, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="pages to check; README.md, docs/ and so on by default")
    given = parser.parse_args().pages
    found = [
        line
        for page in given or pages()
        for line in findings(str(page if given else page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


CheckRegistry().register_many((*checks.__register__, *style()))

if __name__ == "__main__":
    sys.exit(main())
