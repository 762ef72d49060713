"""Measures which lines of the core its tests run."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "core"
ENVIRONMENT = ROOT / "target" / "tools" / "coverage"
REPORT = ROOT / "target" / "coverage.json"
LEAST_PERCENT = 80.0
# A covered file needs no line.
SHOWN_BELOW_PERCENT = 90
# The crates of the core; the folder of each is called as it is.
PARTS = sorted(f"hookweave-{manifest.parent.name}" for manifest in CORE.glob("*/Cargo.toml"))


def install() -> dict[str, str]:
    """Installs cargo-llvm-cov into target/tools, with LLVM's tools where the toolchain has none of its own."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(ROOT / "tools" / "requirements-coverage.txt")], check=True)
    environment = {**os.environ, "PATH": f"{ENVIRONMENT / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    if not (rust_tools() / "llvm-profdata").exists():
        [tools] = ENVIRONMENT.glob("lib/python*/site-packages/**/bin/llvm-profdata")
        environment |= {"LLVM_PROFDATA": str(tools), "LLVM_COV": str(tools.with_name("llvm-cov"))}
        # These tools are built without zlib; the compiler must not compress what they read.
        flags = f"{os.environ.get('RUSTFLAGS', '')} -C llvm-args=-enable-name-compression=false"
        environment["RUSTFLAGS"] = flags.strip()
    return environment


def rust_tools() -> Path:
    """Where rustup puts the component `llvm-tools`."""

    def ask(*arguments: str) -> str:
        return subprocess.run(["rustc", *arguments], capture_output=True, text=True, check=True).stdout

    [host] = [line.partition(": ")[2] for line in ask("-vV").splitlines() if line.startswith("host: ")]
    return Path(ask("--print", "sysroot").strip()) / "lib" / "rustlib" / host / "bin"


def measure(environment: dict[str, str]) -> dict[str, Any]:
    """Runs the core's own tests and the vectors, and reads what they covered."""
    command = ["cargo", "llvm-cov", *(f"--package={name}" for name in ("hookweave", "hookweave-vectors", *PARTS))]
    subprocess.run(
        [*command, "--json", "--summary-only", "--output-path", str(REPORT)], cwd=ROOT, env=environment, check=True
    )
    report: dict[str, Any] = json.loads(REPORT.read_text(encoding="utf-8"))
    return report


def rows(report: dict[str, Any]) -> list[tuple[str, int, int]]:
    """File, covered lines and lines of every file of the core."""
    found = []
    for file in report["data"][0]["files"]:
        path = Path(file["filename"])
        if path.is_relative_to(CORE) and "src" in path.parts:
            lines = file["summary"]["lines"]
            found.append((str(path.relative_to(CORE)), lines["covered"], lines["count"]))
    return sorted(found)


def percent(covered: int, count: int) -> float:
    """A share for people; a file without lines is covered."""
    return 100.0 * covered / count if count else 100.0


def section(found: list[tuple[str, int, int]]) -> str:
    """The figures as a table."""
    covered, count = sum(row[1] for row in found), sum(row[2] for row in found)
    low = [(name, hit, lines) for name, hit, lines in found if percent(hit, lines) < SHOWN_BELOW_PERCENT]
    body = [f"| `{name}` | {lines} | {percent(hit, lines):.1f} % |" for name, hit, lines in low]
    return "\n".join(
        [
            f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, `make coverage`: **{percent(covered, count):.1f} %** of "
            f"the core's {count} lines are run by its own tests and the Rust run of the vectors. Files below "
            f"{SHOWN_BELOW_PERCENT} %:",
            "",
            "| file of `core` | lines | covered |",
            "|---|---|---|",
            *body,
        ]
    )


def main() -> int:
    """Measures, prints, and fails when too little is covered."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    found = rows(measure(install()))
    if not found:
        print("coverage: the report names no file of the core")
        return 1
    print(section(found))
    total = percent(sum(row[1] for row in found), sum(row[2] for row in found))
    if total < LEAST_PERCENT:
        print(f"coverage: below {LEAST_PERCENT:.0f} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
