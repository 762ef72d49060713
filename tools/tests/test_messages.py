"""The messages of the core, the packages and the command use the words of the documents."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proselint", reason="there is no prebuilt proselint for here")

import prose

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ("core/**/src/**/*.rs", "cli/src/**/*.rs", "bindings-*/src/**/*.rs", "bindings-node/ts/**/*.ts")
PYTHON = "bindings-python/python/**/*.py"
# clap prints the doc comments of the command as its help.
HELP = "cli/src/**/*.rs"
SCHEMAS = "cli/schemas/*.json"
# A comment, a letter of Rust, or a text: raw, in double quotes, or between backticks.
PARTS = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)'"
    r"|r(?P<hashes>#*)\"(?P<raw>.*?)\"(?P=hashes)|\"(?P<text>(?:[^\"\\]|\\.)*)\"|`(?P<template>(?:[^`\\]|\\.)*)`",
    re.DOTALL,
)
# Where a module of tests begins; one in a file of its own is only named.
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{", re.MULTILINE)
# What is filled in, and code in a message.
FILLED = re.compile(r"\$?\{[^{}]*\}|`[^`]*`")
PHRASES = re.compile("|".join(rf"\b{phrase}\b".replace(" ", r"\s+") for phrase in prose.BANNED), re.IGNORECASE)


def texts(source: str) -> Iterator[str]:
    """The texts in Rust or TypeScript, without those of a module of tests at the end."""
    for part in PARTS.finditer(TESTS.split(source)[0]):
        yield part["raw"] or part["text"] or part["template"] or ""


def python_texts(source: str) -> Iterator[str]:
    """The texts in Python, without docstrings."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def help_texts(source: str) -> Iterator[str]:
    """The doc comments in Rust, without those of a module of tests at the end."""
    for comment in re.finditer(r"(?:^[ \t]*///[^\n]*\n)+", TESTS.split(source)[0], re.MULTILINE):
        yield re.sub(r"^[ \t]*/// ?", "", comment[0], flags=re.MULTILINE)


def descriptions(source: str) -> Iterator[str]:
    """The descriptions in a JSON Schema."""
    found: list[str] = []

    def keep(members: dict[str, object]) -> None:
        if isinstance(text := members.get("description"), str):
            found.append(text)

    json.loads(source, object_hook=keep)
    yield from found


def banned(text: str) -> str | None:
    """A phrase that the documents do not use, if the text is a sentence with one."""
    sentence = re.sub(r"\\[nt]", " ", FILLED.sub("", text))
    found = PHRASES.search(sentence) if " " in sentence.strip() else None
    return found[0] if found else None


def is_test(path: Path) -> bool:
    """Whether a file of sources holds tests alone."""
    return path.stem in {"tests", "races"} or "tests" in path.parts


def test_messages_use_the_words_of_the_documents() -> None:
    files = [path for pattern in SOURCES for path in ROOT.glob(pattern) if not is_test(path.relative_to(ROOT))]
    read = [(path, texts) for path in files] + [(path, python_texts) for path in ROOT.glob(PYTHON)]
    read += [(path, help_texts) for path in ROOT.glob(HELP) if not is_test(path.relative_to(ROOT))]
    read += [(path, descriptions) for path in ROOT.glob(SCHEMAS)]
    count, found = 0, []
    for path, parts in read:
        for text in parts(path.read_text(encoding="utf-8")):
            count += 1
            if phrase := banned(text):
                found.append(f"{path.relative_to(ROOT)}: `{phrase}` in {' '.join(text.split())!r}")
    assert count > 5000
    assert found == []


@pytest.mark.parametrize(
    ("source", "phrases"),
    [
        ('fail("mend it first"); // nobody', ["mend"]),
        ('let slip = format!("a {slip} of `nobody`\\n");', []),
        ('r#"it goes\non"#', ["goes\non"]),
        ("fail(`nobody did ${it}`); /* told */", ["nobody"]),
        ('let quote = \'"\'; // "it is told"\nfail("it makes no sense");', ["makes no sense"]),
        ('a("fine");\n#[cfg(test)]\nmod tests { fail("nobody is here"); }', []),
        ('#[cfg(test)]\nmod tests;\n\nfail("nobody is here");', ["nobody"]),
    ],
)
def test_texts_are_told_from_comments_and_code(source: str, phrases: list[str]) -> None:
    assert [phrase for text in texts(source) if (phrase := banned(text))] == phrases


def test_docstrings_are_no_messages() -> None:
    source = 'class A:\n    """Nobody does it."""\n    a: int\n    """Whatever it is."""\n    b = "nobody is here"\n'
    assert [text for text in python_texts(source) if banned(text)] == ["nobody is here"]


def test_doc_comments_and_descriptions_are_messages_of_the_command() -> None:
    source = (
        "/// Runs it\n/// quietly.\n#[arg(long)]\nquiet: bool,\n// nobody\n#[cfg(test)]\nmod tests { /// whoever\n}"
    )
    assert list(help_texts(source)) == ["Runs it\nquietly.\n"]
    schema = '{"description": "whatever it is", "properties": {"description": {"description": "nobody knows it"}}}'
    assert sorted(banned(text) or "" for text in descriptions(schema)) == ["nobody", "whatever"]
