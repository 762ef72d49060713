"""Checks the conformance vectors and that every language ran the same ones.

    python tests/vectors/compare.py            files, rules and the three lists in target/vectors/
    python tests/vectors/compare.py --files    files and rules only

Standard library only; with the package `jsonschema` installed (or `--schema`, which then demands it) the files are
also held against schema.json. Exits 1 with one line per fault.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAW = HERE.parent.parent / "docs" / "SEMANTICS.md"
LISTS = HERE.parent.parent / "target" / "vectors"
HOSTS = ("rust", "python", "node")
NOT_CASES = {"schema.json", "rules.json"}
CORPUS = HERE.parent / "corpus"
# Vectors of sessions have a format of their own, and lists of their own.
SESSIONS = HERE / "sessions"
# Vectors of remote hooks drive one end of the protocol step by step: the topic `remote-NAME` is in `remote/NAME.json`.
REMOTE = HERE / "remote"
# Adversarial vectors have the usual format, and the topic `attacks-NAME` in the file `attacks/NAME.json`.
ATTACKS = HERE / "attacks"
# Those that others published: the topic `published-NAME` in the file `attacks/published/NAME.json`.
PUBLISHED = ATTACKS / "published"


def read_topics(folder: Path, prefix: str = "") -> dict[str, dict]:
    """Every vector file of a folder by its name, after the prefix of its topic."""
    return {
        prefix + path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
        if path.name not in NOT_CASES
    }


def check_schema(topics: dict[str, dict], required: bool) -> list[str]:
    """Faults that the schema finds."""
    try:
        import jsonschema
    except ImportError:
        return ["the package jsonschema is not installed; --schema needs it"] if required else []
    schema = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    return [
        f"{name}: {error.json_path}: {error.message[:300]}"
        for name, topic in topics.items()
        for error in validator.iter_errors(topic)
    ]


def check_files(topics: dict[str, dict], sessions: dict[str, dict]) -> list[str]:
    """Faults in names, ids, lists of expectations and rules."""
    rules = json.loads((HERE / "rules.json").read_text(encoding="utf-8"))
    known = [rule["id"] for rule in rules]
    faults = [f"rules.json: {rule} is there twice" for rule, n in Counter(known).items() if n > 1]
    seen: Counter[str] = Counter()
    used: set[str] = set()
    for name, topic in [*topics.items(), *sessions.items()]:
        if name != f"{topic['topic']}.json":
            faults.append(f"{name}: its topic is {topic['topic']}")
        for case in topic["cases"]:
            seen[case["id"]] += 1
            used.add(case["rule"])
            if "do" not in case and "steps" not in case:
                faults += [f"{case['id']}: {fault}" for fault in check_case(case)]
            if not case["id"].startswith(topic["topic"] + "/"):
                faults.append(f"{case['id']}: the id does not begin with the topic")
            if case["rule"] not in known:
                faults.append(f"{case['id']}: rule {case['rule']} is not in rules.json")
    faults += [f"{case} is there {n} times" for case, n in seen.items() if n > 1]
    faults += [f"rule {rule} has no case" for rule in known if rule not in used]
    return faults


def check_law() -> list[str]:
    """Rules of rules.json that docs/SEMANTICS.md does not have, and the other way round."""
    rules = {rule["id"] for rule in json.loads((HERE / "rules.json").read_text(encoding="utf-8"))}
    written = set(re.findall(r"`(S\d+\.[a-z0-9_.-]+)`", LAW.read_text(encoding="utf-8")))
    return [f"{LAW.name} does not have the rule {rule}" for rule in sorted(rules - written)] + [
        f"rules.json does not have the rule {rule} of {LAW.name}" for rule in sorted(written - rules)
    ]


def check_corpus(topics: dict[str, dict]) -> list[str]:
    """Scripts that no case runs, scripts that are not there, and scripts that do not say what they are for."""
    scripts = {
        path.relative_to(CORPUS).as_posix(): path
        for path in CORPUS.glob("*/*")
        if path.is_file() and not path.parent.name.startswith((".", "__"))
    }
    named = set(corpus_names(topics))
    faults = [f"corpus: no case runs {name}" for name in sorted(scripts.keys() - named)]
    faults += [f"corpus: {name} is not there" for name in sorted(named - scripts.keys())]
    for name, path in scripts.items():
        first = path.read_text(encoding="utf-8").splitlines()[:2]
        if len(first) < 2 or not first[0].startswith("#!") or not re.match(r"(#|//) \S.*\.$", first[1]):
            faults.append(f"corpus: {name} does not begin with `#!` and a comment that says what it is for")
    if len(scripts) < 80:
        faults.append(f"corpus: only {len(scripts)} scripts")
    return faults


def corpus_names(value: object) -> Iterator[str]:
    """Every script that something names."""
    if isinstance(value, dict):
        if isinstance(value.get("corpus"), str):
            yield value["corpus"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from corpus_names(item)


def check_case(case: dict) -> list[str]:
    """Faults that only the whole case shows."""
    faults = []
    dispatches, expectations = case.get("dispatch"), case.get("expect")
    if isinstance(dispatches, list) and (not isinstance(expectations, list) or len(dispatches) != len(expectations)):
        faults.append("a list of dispatches needs a list of as many expectations")
    if "concurrent" in case and (
        isinstance(dispatches, list) or not isinstance(expectations, list) or len(expectations) != case["concurrent"]
    ):
        faults.append("concurrent needs one dispatch and as many expectations")
    if dispatches is None and "lint" not in case and "error" not in case.get("client", {}):
        faults.append("nothing is dispatched or linted and the client is not refused")
    return faults


def check_lists(topics: dict[str, dict], prefix: str) -> list[str]:
    """Faults in what the runners say they ran, in lists whose names begin so."""
    wanted = {case["id"]: case.get("not", {}) for topic in topics.values() for case in topic["cases"]}
    faults = []
    for host in HOSTS:
        path = LISTS / f"{prefix}{host}.txt"
        if not path.exists():
            faults.append(f"{host}: {path} is missing; run its vector tests first")
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        ran = {line.split(" # ", 1)[0]: line for line in lines}
        if len(ran) != len(lines):
            faults.append(f"{host}: a case is listed twice")
        faults += [f"{host}: did not run {case}" for case in wanted if case not in ran]
        faults += [f"{host}: ran {case}, which no file holds" for case in ran if case not in wanted]
        for case, excuses in wanted.items():
            line = f"{case} # {excuses[host]}" if host in excuses else case
            if case in ran and ran[case] != line:
                faults.append(f"{host}: says `{ran[case]}` instead of `{line}`")
        skipped = sum(" # " in line for line in lines)
        print(f"{prefix + host:<16} {len(lines) - skipped:4} cases run, {skipped} that its vectors excuse")
    return faults


def main() -> int:
    """Runs the checks that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="check the files only, not what the runners ran")
    parser.add_argument("--schema", action="store_true", help="fail when the schema cannot be checked")
    options = parser.parse_args()
    topics = read_topics(HERE) | read_topics(ATTACKS, "attacks-") | read_topics(PUBLISHED, "published-")
    sessions = read_topics(SESSIONS)
    remote = read_topics(REMOTE, "remote-")
    faults = (
        check_schema(topics, options.schema)
        + check_files(topics, sessions | remote)
        + check_law()
        + check_corpus(topics)
    )
    counts = {name.removesuffix(".json"): len(topic["cases"]) for name, topic in topics.items()}
    counts |= {f"sessions/{name.removesuffix('.json')}": len(topic["cases"]) for name, topic in sessions.items()}
    counts |= {name.removesuffix(".json"): len(topic["cases"]) for name, topic in remote.items()}
    for name, count in counts.items():
        print(f"{name:<22} {count:4}")
    print(f"{'in all':<22} {sum(counts.values()):4}")
    if not options.files:
        faults += check_lists(topics, "") + check_lists(sessions, "sessions-")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
