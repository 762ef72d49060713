"""Feeds the readers of hookweave what libFuzzer makes of the seeds in fuzz/seeds, for ten minutes in all."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "fuzz"
TARGETS = sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))
# What is built, what libFuzzer finds worth keeping, and what broke a target.
BUILT = ROOT / "target" / "fuzz"
SECONDS = 600
# What cargo-fuzz has the compiler add, so that libFuzzer sees which code runs; stable Rust takes it too.
COVERAGE = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
]
# An input may take two minutes, so that a busy machine fails none; memory is bounded.
LIMITS = ["-timeout=120", "-rss_limit_mb=2048", "-max_len=4096"]
# No line for each find, a summary at the end.
SHOWN = ["-verbosity=0", "-print_funcs=0", "-print_final_stats=1"]


def host() -> str:
    """The platform that cargo builds for; with a name build scripts are compiled without the flags above."""
    command = ["rustc", "--print", "host-tuple"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def build(platform: str) -> Path:
    """Builds the targets, with the versions of the workspace; gives the folder of the programs."""
    locked, own = ROOT / "Cargo.lock", FUZZ / "Cargo.lock"
    if not own.exists() or own.stat().st_mtime < locked.stat().st_mtime:
        shutil.copyfile(locked, own)
    command = ["cargo", "build", "--quiet", "--release", "--bins", "--target", platform]
    environment = {**os.environ, "RUSTFLAGS": " ".join(COVERAGE), "CARGO_TARGET_DIR": str(BUILT)}
    subprocess.run(command, cwd=FUZZ, env=environment, check=True)
    return BUILT / platform / "release"


def run(program: Path, seconds: int) -> bool:
    """Runs a target for a time; what broke it before comes first and breaks it again."""
    kept, broke = BUILT / "corpus" / program.name, BUILT / "broke" / program.name
    for folder in (kept, broke):
        folder.mkdir(parents=True, exist_ok=True)
    options = [*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={broke}/", *SHOWN]
    folders = [kept, FUZZ / "seeds" / program.name, broke]
    print(f"{program.name}: {seconds} seconds", flush=True)
    code = subprocess.run([program, *options, *folders], check=False).returncode
    if code:
        again = f"`{program.relative_to(ROOT)} FILE` runs it again"
        print(f"{program.name}: an input broke it; {again}, with one of {broke.relative_to(ROOT)}", flush=True)
    return code == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds all targets and runs those that are named, or each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)}; all when none is given")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long in all (%(default)s)")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"unknown target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    programs = build(host())
    targets = options.targets or TARGETS
    seconds = max(1, options.seconds // len(targets))
    broken = [target for target in targets if not run(programs / target, seconds)]
    print(f"broken: {', '.join(broken)}" if broken else f"{len(targets)} targets held")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
