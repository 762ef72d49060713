"""Checks that Rust, Python and Node ran the same conformance vectors, and left out only what a vector says."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from results import Case, write_junit

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
LISTS = ROOT / "target" / "vectors"
HOSTS = ("rust", "python", "node")


def written_cases(folder: Path) -> dict[str, dict[str, str]]:
    """Every case of the vector files with the hosts that it leaves out and why."""
    cases: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if "cases" not in document:
            continue
        for case in document["cases"]:
            if case["id"] in cases:
                raise ValueError(f"{path.name}: the id {case['id']} is used twice")
            cases[case["id"]] = dict(case.get("not", {}))
    return cases


def read_list(path: Path) -> tuple[set[str], dict[str, str]]:
    """The cases that a runner ran, and those that it skipped with the reason it gives."""
    ran: set[str] = set()
    skipped: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        case, mark, reason = line.partition(" # ")
        if mark:
            skipped[case.strip()] = reason.strip()
        elif case.strip():
            ran.add(case.strip())
    return ran, skipped


def compare(host: str, cases: dict[str, dict[str, str]], path: Path) -> str | None:
    """What is wrong with one host's list, or nothing."""
    if not path.exists():
        return f"the {host} runner wrote no list ({path.relative_to(ROOT)}); run its tests first"
    ran, skipped = read_list(path)
    allowed = {case for case, left_out in cases.items() if host in left_out}
    groups = {
        "not run": set(cases) - allowed - ran,
        "skipped without saying so in the vector": set(skipped) - allowed,
        "run although the vector says it cannot": ran & allowed,
        "unknown": (ran | set(skipped)) - set(cases),
    }
    problems = [f"{len(ids)} {what}: {', '.join(sorted(ids)[:20])}" for what, ids in groups.items() if ids]
    return f"{host}: " + "; ".join(problems) if problems else None


def main() -> int:
    """Prints how many cases each language ran, and fails when the lists differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--junit", type=Path, help="where to write a JUnit report")
    options = parser.parse_args()
    cases = written_cases(VECTORS)
    checks = [Case("there are vectors", None if cases else f"no case in {VECTORS.relative_to(ROOT)}")]
    for host in HOSTS:
        problem = compare(host, cases, LISTS / f"{host}.txt")
        checks.append(Case(f"{host} ran every vector", problem))
        left_out = sum(host in hosts for hosts in cases.values())
        print(
            f"{host:<8}{len(cases) - left_out} of {len(cases)} cases" + (f", {left_out} left out" if left_out else "")
        )
        if problem:
            print(f"  {problem}")
    if options.junit:
        write_junit(options.junit, "vector lists", checks)
    return any(check.problem for check in checks)


if __name__ == "__main__":
    sys.exit(main())
