"""Runs each small example in each of its languages and holds what it prints to one text that all of them share."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from example_programs import EXAMPLES, TYPESCRIPT_OUT, build_rust, build_typescript, commands
from results import Case, write_junit
from typescript import NODE_PACKAGE

RUN_LIMIT_SECONDS = 600
# Programs that are not to be had on every system; without them an example is left out.
NEEDS = {"fleet": "nats-server"}


@dataclass(frozen=True)
class Language:
    """What runs a program, and the file that it is in."""

    host: str
    file: str


LANGUAGES = {
    "python": Language("Python", "main.py"),
    "node": Language("Node", "main.ts"),
    "rust": Language("Rust", "main.rs"),
}


@dataclass(frozen=True)
class Example:
    """A small program in several languages, all of which print the same."""

    folder: Path

    @property
    def name(self) -> str:
        """What its folder is called."""
        return self.folder.name

    @property
    def expected(self) -> str:
        """What every language prints."""
        return (self.folder / "expected.txt").read_text(encoding="utf-8")

    @property
    def languages(self) -> list[str]:
        """The languages that it has a program in."""
        return [name for name, language in LANGUAGES.items() if (self.folder / language.file).exists()]


def examples(folder: Path = EXAMPLES) -> list[Example]:
    """The examples that print one expected text; the demo's compare more than that, and have none."""
    return [Example(path.parent) for path in sorted(folder.glob("*/expected.txt"))]


# --- running -------------------------------------------------------------------------------------


def build(chosen: Sequence[Example], languages: Iterable[str]) -> str | None:
    """Compiles what is about to run; says what is wrong when something does not compile."""
    if "node" in languages and (broken := build_typescript()) is not None:
        return broken
    return (
        build_rust([example.name for example in chosen if "rust" in example.languages], True)
        if "rust" in languages
        else None
    )


def environment(folder: Path) -> dict[str, str]:
    """The variables of a run: the checkout's tools and package are found, without the developer's settings of git."""
    tools = [Path(sys.executable).parent, NODE_PACKAGE / "node_modules" / ".bin"]
    return {
        **os.environ,
        "PATH": os.pathsep.join([*map(str, tools), os.environ.get("PATH", os.defpath)]),
        "HOME": str(folder.parent),
        "XDG_CONFIG_HOME": str(folder.parent / ".config"),
        "NODE_PATH": str(TYPESCRIPT_OUT / "node_modules"),
        "NO_COLOR": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }


def check(example: Example, language: str, command: Sequence[str] | None = None) -> Case:
    """Runs one program in a folder of its own, outside of the checkout, whose settings of linters are not meant."""
    host = LANGUAGES[language].host
    name = f"{example.name}: {host} prints what is expected"
    needed = NEEDS.get(example.name)
    if needed is not None and shutil.which(needed, path=environment(example.folder)["PATH"]) is None:
        return Case(name, skipped=f"there is no {needed} here")
    with tempfile.TemporaryDirectory(prefix="hookweave-example-") as made:
        folder = Path(made).resolve() / example.name
        if (project := example.folder / "project").is_dir():
            shutil.copytree(project, folder)
        else:
            folder.mkdir()
        try:
            done = subprocess.run(
                command or commands(example.name)[host],
                cwd=folder,
                env=environment(folder),
                # Without a terminal: no person can be asked.
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=RUN_LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Case(name, f"did not end within {RUN_LIMIT_SECONDS} s")
        except OSError as error:
            return Case(name, f"could not be started: {error}")
    return Case(name, wrong(example.expected, done))


def wrong(expected: str, done: subprocess.CompletedProcess[str]) -> str | None:
    """What is not as it should be of a run that has ended."""
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    if done.stdout.rstrip() == expected.rstrip():
        return None
    lines = unified_diff(expected.splitlines(), done.stdout.splitlines(), "expected.txt", "printed", lineterm="")
    return "printed something else:\n" + "\n".join(lines)


def main() -> int:
    """Builds, runs and compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="examples to run; all when none is given")
    parser.add_argument("--only", default=",".join(LANGUAGES), help="languages, split by commas: python, node, rust")
    parser.add_argument("--junit", type=Path, help="where to write a JUnit report")
    options = parser.parse_args()
    known = examples()
    languages = options.only.split(",")
    if unknown := (set(options.names) - {example.name for example in known}) | (set(languages) - set(LANGUAGES)):
        parser.error(
            f"unknown: {', '.join(sorted(unknown))}; examples are {', '.join(example.name for example in known)}"
        )
    chosen = [example for example in known if not options.names or example.name in options.names]
    if (broken := build(chosen, languages)) is not None:
        cases = [Case("the programs compile", broken)]
    else:
        runs = [(example, language) for example in chosen for language in example.languages if language in languages]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            cases = list(pool.map(lambda run: check(*run), runs))
    for case in cases:
        mark = "FAILED" if case.problem else "not run" if case.skipped else "ok"
        print(f"{mark:<8}{case.name}{f': {case.skipped}' if case.skipped else ''}")
        if case.problem:
            print(case.problem)
    if options.junit:
        write_junit(options.junit, "examples", cases)
    return any(case.problem for case in cases)


if __name__ == "__main__":
    sys.exit(main())
