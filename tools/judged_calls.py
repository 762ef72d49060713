"""Reads and checks the judged calls of policies/corpus, and prints those that may be read while rules are written."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "policies" / "corpus"
VERDICTS = ("stop", "pass")
# The arguments of each tool: those that it needs, and those that it may have.
ARGUMENTS = {
    "Bash": ({"command"}, set()),
    "Read": ({"path"}, set()),
    "Edit": ({"path"}, set()),
    "Write": ({"path"}, set()),
    "Grep": ({"pattern"}, {"path"}),
    "Glob": ({"pattern"}, {"path"}),
}
KEYS = {"call", "verdict", "why", "area"}
UNSEEN_DIGITS = "01234"

Record = dict[str, Any]


def canonical(call: Record) -> str:
    """The JSON of a call: keys sorted, no spaces, no escapes but those that JSON requires."""
    return json.dumps(call, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def unseen(call: Record) -> bool:
    """Whether a call may not be looked at while rules are written."""
    return hashlib.sha256(canonical(call).encode()).hexdigest()[0] in UNSEEN_DIGITS


def shape_faults(record: Record, area: str) -> Iterator[str]:
    """What is wrong with one record, apart from the others."""
    if record.keys() - {"everyday"} != KEYS:
        yield f"keys {sorted(record)}, not {sorted(KEYS)} and perhaps everyday"
        return
    call, why = record["call"], record["why"]
    needs, may = ARGUMENTS.get(call.get("tool"), (None, set()))
    if needs is None:
        yield f"tool {call.get('tool')!r}, not one of {', '.join(ARGUMENTS)}"
    elif not needs <= call.keys() - {"tool"} <= needs | may:
        yield f"arguments {sorted(call.keys() - {'tool'})} of {call['tool']}, not {sorted(needs | may)}"
    if not all(isinstance(value, str) and value.strip() for value in call.values()):
        yield "an argument that is empty or no text"
    if record["verdict"] not in VERDICTS:
        yield f"verdict {record['verdict']!r}, not one of {', '.join(VERDICTS)}"
    if not isinstance(why, str) or not why.strip():
        yield "no why"
    if record["area"] != area:
        yield f"area {record['area']!r}, not that of its file"
    if "everyday" in record and (record["everyday"] is not True or record["verdict"] != "pass"):
        yield "everyday is true, and only of calls that pass"


def faults(files: Mapping[str, Iterable[str]]) -> list[str]:
    """What is wrong with the lines of all files, by area: each with its place."""
    found: list[str] = []
    places: dict[str, tuple[str, str]] = {}
    for area, lines in files.items():
        for number, line in enumerate(lines, 1):
            place = f"{area}.jsonl:{number}"
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                found.append(f"{place}: no JSON: {error}")
                continue
            if not isinstance(record, dict) or not isinstance(record.get("call"), dict):
                found.append(f"{place}: no object with a call")
                continue
            wrong = list(shape_faults(record, area))
            found += [f"{place}: {fault}" for fault in wrong]
            if wrong:
                continue
            # Space at the ends makes no other call; space within can, as in quotes.
            key = canonical({name: value.strip() for name, value in record["call"].items()})
            earlier, verdict = places.setdefault(key, (place, record["verdict"]))
            if earlier != place:
                fault = "the call of" if verdict == record["verdict"] else f"contradicts ({verdict})"
                found.append(f"{place}: {fault} {earlier}: {key}")
    return found


def read() -> dict[str, list[str]]:
    """The lines of the corpus, by area."""
    return {
        path.stem: path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        for path in sorted(FOLDER.glob("*.jsonl"))
    }


def table(files: Mapping[str, Iterable[str]]) -> str:
    """How many calls of which verdict each file has, as a table of Markdown."""
    rows, total = [], Counter[str]()
    for area, lines in files.items():
        counts = Counter[str]()
        for record in map(json.loads, lines):
            counts[record["verdict"]] += 1
            counts["everyday"] += "everyday" in record
            counts["unseen"] += unseen(record["call"])
        total += counts
        rows.append((f"`{area}.jsonl`", counts))
    head = "| file | stop | pass | everyday | unseen |\n|---|---|---|---|---|\n"
    columns = (*VERDICTS, "everyday", "unseen")
    return head + "".join(
        f"| {name} | {' | '.join(str(counts[column]) for column in columns)} |\n"
        for name, counts in [*rows, ("all", total)]
    )


def main() -> int:
    """Print the seen lines, of all areas or of those that are named, or the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("area", nargs="*", help="only these areas")
    parser.add_argument("--counts", action="store_true", help="print how many calls each file has")
    options = parser.parse_args()
    files = read()
    if missing := sorted(set(options.area) - files.keys()):
        parser.error(f"no area {', '.join(missing)}; there are {', '.join(files)}")
    chosen = {area: lines for area, lines in files.items() if not options.area or area in options.area}
    if options.counts:
        print(table(chosen), end="")
        return 0
    for lines in chosen.values():
        for line in lines:
            if not unseen(json.loads(line)["call"]):
                print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
