"""The messages of the core, the packages and the command use the words of the documents."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proselint", reason="there is no prebuilt proselint for here")

import prose

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ("core/**/src/**/*.rs", "cli/src/**/*.rs", "bindings-*/src/**/*.rs", "bindings-node/ts/**/*.ts")
PYTHON = "bindings-python/python/**/*.py"
# A comment, a letter of Rust, or a text: raw, in double quotes, or between backticks.
PARTS = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)'"
    r"|r(?P<hashes>#*)\"(?P<raw>.*?)\"(?P=hashes)|\"(?P<text>(?:[^\"\\]|\\.)*)\"|`(?P<template>(?:[^`\\]|\\.)*)`",
    re.DOTALL,
)
# What is filled in, and code in a message.
FILLED = re.compile(r"\$?\{[^{}]*\}|`[^`]*`")
PHRASES = re.compile("|".join(rf"\b{phrase}\b".replace(" ", r"\s+") for phrase in prose.BANNED), re.IGNORECASE)


def texts(source: str) -> Iterator[str]:
    """The texts in Rust or TypeScript, without those of a module of tests at the end."""
    for part in PARTS.finditer(source.split("\n#[cfg(test)]\nmod ")[0]):
        yield part["raw"] or part["text"] or part["template"] or ""


def python_texts(source: str) -> Iterator[str]:
    """The texts in Python, without docstrings."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


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
    ],
)
def test_texts_are_told_from_comments_and_code(source: str, phrases: list[str]) -> None:
    assert [phrase for text in texts(source) if (phrase := banned(text))] == phrases


def test_docstrings_are_no_messages() -> None:
    source = 'class A:\n    """Nobody does it."""\n    a: int\n    """Whatever it is."""\n    b = "nobody is here"\n'
    assert [text for text in python_texts(source) if banned(text)] == ["nobody is here"]
