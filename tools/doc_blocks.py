"""Executes the code blocks of README.md and docs/; the Rust ones are doc tests of tools/doc-tests."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from markdown_pages import Block, blocks
from results import Case, write_junit
from typescript import compile_project, link_packages

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "docs"
PYTHON, TYPESCRIPT = "python", "ts"
# Blocks in these languages are pictures, other programs' output, or tested elsewhere.
NOT_CODE = {"mermaid", "text", "toml", "console", "yaml", ""}
LIMIT_SECONDS = 600


@dataclass(frozen=True)
class Program:
    """A block made runnable: its source with what it continues, and what it must print."""

    block: Block
    source: str
    prints: str | None

    @property
    def name(self) -> str:
        """Where the block stands, as `docs/page.md:12`."""
        return f"{self.block.page.relative_to(ROOT)}:{self.block.line}"

    @property
    def stem(self) -> str:
        """A file name for the block."""
        page = self.block.page.relative_to(ROOT).with_suffix("")
        return f"{'_'.join(page.parts).replace('-', '_').lower()}_{self.block.line}"


def pages() -> list[Path]:
    """The pages whose blocks are executed."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def collect(paths: Iterable[Path]) -> tuple[list[Program], list[Case]]:
    """The programs of the pages, and the verdict on every block that is none."""
    programs: list[Program] = []
    cases: list[Case] = []
    for page in paths:
        before: dict[str, str] = {}
        found = list(blocks(page))
        for block, after in zip(found, [*found[1:], None], strict=False):
            name = f"{page.relative_to(ROOT)}:{block.line}"
            if block.not_run is not None:
                reason = block.not_run or None
                cases.append(Case(name, None if reason else "`not run:` gives no reason", skipped=reason))
            elif block.file is not None:
                cases.append(Case(name, file_problem(block.file, block.text)))
            elif block.is_output:
                if not any(program.block.page == page and program.prints == block.text for program in programs):
                    cases.append(Case(name, "`prints` must stand right after an executed block"))
            elif block.language in (PYTHON, TYPESCRIPT):
                source = (before.get(block.language, "") if block.continues else "") + block.text
                before[block.language] = source
                prints = after.text if after is not None and after.is_output else None
                programs.append(Program(block, source, prints))
            elif block.language == "json":
                cases.append(Case(name, json_problem(block.text)))
            elif block.language.split(",")[0] != "rust" and block.language not in NOT_CODE:
                cases.append(Case(name, f"nothing executes `{block.language}` blocks: say why with `not run:`"))
    return programs, cases


def file_problem(path: str, text: str) -> str | None:
    """Why a block does not show a file of the project, or nothing; such a file is run by a test of its own."""
    file = ROOT / path
    if not file.is_file():
        return f"there is no file {path}"
    return None if file.read_text(encoding="utf-8").strip() == text.strip() else f"the block is not what is in {path}"


def json_problem(text: str) -> str | None:
    """Why a text is no JSON, or nothing."""
    try:
        json.loads(text)
    except ValueError as error:
        return f"no JSON: {error}"
    return None


def execute(program: Program, command: list[str]) -> Case:
    """Runs a program; it fails when it exits with an error or prints something else than its page shows."""
    try:
        done = subprocess.run(
            command, cwd=WORK, capture_output=True, text=True, encoding="utf-8", timeout=LIMIT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Case(program.name, f"did not end within {LIMIT_SECONDS} s")
    if done.returncode != 0:
        return Case(program.name, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    if program.prints is not None and done.stdout.strip() != program.prints.strip():
        return Case(program.name, f"printed something else than the page shows:\n{done.stdout}")
    return Case(program.name)


def run_python(programs: list[Program]) -> list[Case]:
    """Runs each Python block as a script of its own."""
    cases = []
    for program in programs:
        script = WORK / f"{program.stem}.py"
        script.write_text(program.source, encoding="utf-8")
        cases.append(execute(program, [sys.executable, str(script)]))
    return cases


def run_typescript(programs: list[Program]) -> list[Case]:
    """Checks and compiles every TypeScript block with `tsc --strict`, then runs those that compiled."""
    if not programs:
        return []
    link_packages(WORK)
    options = {
        "strict": True,
        "target": "es2022",
        "lib": ["es2023", "esnext.disposable"],
        "module": "nodenext",
        "types": ["node"],
        "skipLibCheck": True,
        "outDir": "out",
        "rootDir": ".",
    }
    files = [f"{program.stem}.ts" for program in programs]
    (WORK / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": files}), encoding="utf-8")
    for program in programs:
        # Makes a block without an import a module too, where `await` may stand at the top.
        (WORK / f"{program.stem}.ts").write_text(program.source + "export {};\n", encoding="utf-8")
    compiled = compile_project(WORK, cwd=WORK)
    complaints: dict[str, list[str]] = {}
    for line in compiled.stdout.splitlines():
        complaints.setdefault(line.partition("(")[0], []).append(line)
    cases, explained = [], False
    for program in programs:
        if problems := complaints.get(f"{program.stem}.ts"):
            explained = True
            cases.append(Case(program.name, "does not compile\n" + "\n".join(problems)))
        else:
            node = os.environ.get("NODE", "node")
            cases.append(execute(program, [node, str(WORK / "out" / f"{program.stem}.js")]))
    if compiled.returncode != 0 and not explained:
        cases.append(Case("tsc", compiled.stdout + compiled.stderr))
    return cases


def main() -> int:
    """Executes the blocks of the given pages, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="pages to look at; README.md and docs/ by default")
    parser.add_argument("--junit", type=Path, help="where to write a JUnit report")
    options = parser.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    programs, cases = collect([page.resolve() for page in options.pages] or pages())
    cases += run_python([program for program in programs if program.block.language == PYTHON])
    cases += run_typescript([program for program in programs if program.block.language == TYPESCRIPT])
    for case in cases:
        mark = "FAILED" if case.problem else "not run" if case.skipped else "ok"
        print(f"{mark:<8}{case.name}" + (f": {case.skipped}" if case.skipped else ""))
        if case.problem:
            print("        " + case.problem.strip().replace("\n", "\n        "))
    if options.junit:
        write_junit(options.junit, "documents", cases)
    return any(case.problem for case in cases)


if __name__ == "__main__":
    sys.exit(main())
