"""The documents name what the code has: every error code, every event, every link."""

import re
import tomllib
from pathlib import Path

import pytest
from markdown_pages import FENCE

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(?P<text>.*)$")
WRITTEN = [
    "*.md",
    "docs/**/*.md",
    "examples/**/README.md",
    "tests/**/README.md",
    "c*/**/README.md",
    "bindings-*/README.md",
    "policies/**/README.md",
]
# Cells are parted by bars; one in code or behind a backslash parts nothing.
BAR = re.compile(r"`[^`]*`|\\\||(\|)")
DELIMITER = re.compile(r"\|(?: *:?-+:? *\|)+")

ERROR_CODES = next(path for path in sorted((ROOT / "core").rglob("error.rs")) if "enum Code" in path.read_text("utf-8"))
# Errors of conditions that other languages do not have.
ONLY_PYTHON = {"awaitable_in_sync_dispatch", "not_picklable", "unsupported_interpreter"}
# Thrown by the import of the Node package, which leaves no class to recognise it by.
ONLY_AT_IMPORT = {"addon_not_loaded"}
# A path of the checkout: it begins with a folder of it.
FILE = re.compile(r"(?:bench|bindings-\w+|cli|core|docs|examples|tests|tools)/[\w<>*./-]+")


def prose(page: Path) -> list[str]:
    """The lines of a page that are not in a fenced block."""
    lines, fenced = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            lines.append(line)
    return lines


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    headings = (match["text"] for line in prose(page) if (match := HEADING.match(line)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_tables(lines: list[str]) -> list[str]:
    """Headings that hold a table's row, and rows without a table's head above: an empty line cuts a table."""
    found = [line for line in lines if HEADING.match(line) and any(bar[1] for bar in BAR.finditer(line))]
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if line.startswith("|") and not before.startswith("|") and not DELIMITER.fullmatch(after.strip()):
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n\n# `a|b`\n", []),
        ("# Title| a | b |\n\n| a |\n|---|\n", ["# Title| a | b |"]),
        ("| a |\n|---|\n| 1 |\n\n| 2 |\n| 3 |\n", ["| 2 |"]),
        ("Words\n\n| 1 | 2 |\n", ["| 1 | 2 |"]),
    ],
)
def test_a_broken_table_is_found(page: str, found: list[str]) -> None:
    assert broken_tables(page.splitlines()) == found


def test_tables_and_headings_are_whole() -> None:
    pages = [page for pattern in WRITTEN for page in ROOT.glob(pattern) if "node_modules" not in page.parts]
    assert len(pages) > 60
    broken = [f"{page.relative_to(ROOT)}: {line}" for page in pages for line in broken_tables(prose(page))]
    assert broken == []


def test_every_error_code_has_a_cause_and_a_fix() -> None:
    source = (ROOT / "core" / "machine" / "src" / "error.rs").read_text(encoding="utf-8")
    codes = set(re.findall(r'Self::\w+ => "(\w+)"', source))
    table = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", table, re.MULTILINE))
    assert codes, "no codes found in core/machine/src/error.rs"
    assert set(rows) == codes
    assert all(row.count("|") == 2 for row in rows.values()), "a row lacks its cause or its fix"


def test_every_failure_kind_is_explained() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "core" / "machine" / "src").rglob("*.rs")]
    [arms] = re.findall(r"impl FailureKind \{.*?match self \{(.*?)\n        \}", "\n".join(sources), re.DOTALL)
    kinds = set(re.findall(r'=> "(\w+)"', arms))
    page = (ROOT / "docs" / "failures-and-limits.md").read_text(encoding="utf-8")
    assert kinds, "no kinds found in the core"
    assert {kind for kind in kinds if f"| `{kind}` |" not in page} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for line in prose(page):
        for target in (match["target"] for match in LINK.finditer(line)):
            if target.startswith(("http://", "https://")):
                continue
            path, _, anchor = target.partition("#")
            other = (page.parent / path).resolve() if path else page
            assert other.exists(), f"{target} is not there"
            assert not anchor or anchor in anchors(other), f"{target} has no such heading"


def test_the_features_of_the_crate_are_listed() -> None:
    manifest = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text(encoding="utf-8"))
    features = manifest.get("features", {})
    page = (ROOT / "docs" / "rust.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)`( \(default\))? \|", page, re.MULTILINE)
    assert {name for name, _ in rows} == set(features) - {"default"}
    assert {name for name, default in rows if default} == set(features.get("default", []))


def test_every_error_code_has_a_class_in_each_language() -> None:
    codes = set(re.findall(r'Self::\w+ => "(\w+)"', ERROR_CODES.read_text(encoding="utf-8")))
    modules = ROOT / "bindings-python" / "python" / "hookweave"
    python = "".join((modules / name).read_text(encoding="utf-8") for name in ("errors.py", "_approval_request.py"))
    declared = set(re.findall(r'"(\w+)"', " ".join(re.findall(r"^    codes.* = (\([^)]*\))", python, re.MULTILINE))))
    assert codes - declared == ONLY_AT_IMPORT
    modules = ROOT / "bindings-node" / "ts"
    typescript = "".join((modules / name).read_text(encoding="utf-8") for name in ("errors.ts", "approval-pending.ts"))
    [by_code] = re.findall(r"const byCode.*?= \{(.*?)\};", typescript, re.DOTALL)
    named = set(re.findall(r"(\w+): \w+Error,", by_code)) | set(re.findall(r'^ +"(\w+)",$', typescript, re.MULTILINE))
    assert codes - named == ONLY_PYTHON | ONLY_AT_IMPORT


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/TESTING.md"])
def test_pages_for_contributors_name_files_that_are_there(page: str) -> None:
    spans = re.findall(r"`([^`]+)`", " ".join(prose(ROOT / page)))
    # A span may be a command line that names files, or a place in a file.
    words = {re.sub(r"(:\d+)+:?$", "", word) for span in spans for word in span.split()}
    paths = sorted(word for word in words if FILE.fullmatch(word))
    assert len(paths) > 5
    assert [path for path in paths if not any(ROOT.glob(re.sub(r"<\w+>", "*", path)))] == []
