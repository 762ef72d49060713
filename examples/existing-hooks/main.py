"""An agent runs the hooks of an unchanged `.claude/settings.json`: the Python program."""

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from hookweave import HookClient, Outcome


async def main() -> None:
    """Loads the project's hooks, raises the events and prints what the hooks made of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="holds `project`, a copy that the hooks may write into")
    parser.add_argument("events", type=Path, help="the events, one JSON object a line")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    project = folder / "project"
    events = [json.loads(line) for line in options.events.read_text(encoding="utf-8").splitlines()]

    decisions: Counter[str] = Counter()
    total = 0.0
    async with HookClient(project_dir=project) as client:
        loaded = client.load(project / ".claude" / "settings.json")
        for problem in loaded.problems:
            print(problem)
        print(f"{len(loaded.hooks)} hooks of {loaded.found[0].dialect}\n")
        print(f"{'#':>3} {'event':<16} {'tool':<5} {'about':<28} {'hooks that ran':<27} {'decision':<8} {'ms':>7}")
        with (folder / "records.jsonl").open("w", encoding="utf-8") as records:
            for number, raised in enumerate(events, 1):
                common = {"session_id": "parcel-318", "timestamp": 1_764_000_000_000, "cwd": str(project)}
                outcome = await client.dispatch(raised["event"], {**common, **raised["payload"]})
                records.write(json.dumps({"event": number, "outcome": outcome.to_dict()}) + "\n")
                print(row(number, raised, outcome))
                decisions[outcome.decision] += 1
                total += milliseconds(outcome)
    went_on = decisions["continue"]
    print(f"\n{len(events)} events: {went_on} go on, {decisions['block']} blocked, {decisions['ask']} for a person;")
    print(f"their hooks took {total:.0f} ms")


# --- the table -----------------------------------------------------------------------------------

MARKS = {"block": "!", "ask": "?", "allow": "+"}


def row(number: int, raised: dict[str, Any], outcome: Outcome[Any]) -> str:
    """One event of the table, with what each hook said beneath."""
    payload = raised["payload"]
    args = payload.get("args", {})
    about = args.get("command") or args.get("file_path") or payload.get("prompt", "")
    lines = [
        f"{number:>3} {raised['event']:<16} {payload.get('tool', ''):<5} {cut(about, 28)} "
        f"{cut(hooks_that_ran(outcome), 27)} {outcome.decision:<8} {milliseconds(outcome):>7.1f}"
    ]
    return "\n".join(lines + [f"      > {note}"[:100] for note in notes(outcome)])


def hooks_that_ran(outcome: Outcome[Any]) -> str:
    """The hooks of one dispatch with a mark for what each said."""
    names = []
    for entry in outcome.trace:
        mark = "x" if entry.status == "failed" else MARKS.get(entry.action, "")
        names.append(entry.hook + mark + ("*" if entry.modified else ""))
    return " ".join(names)


def notes(outcome: Outcome[Any]) -> list[str]:
    """What hooks decided, added, rewrote or failed at."""
    found = [f"{vote.hook}: {vote.reason}" for vote in outcome.votes]
    found += [f"{added.hook} adds: {added.content}" for added in outcome.injections]
    for entry in outcome.trace:
        for name in entry.modified:
            found.append(f"{entry.hook} rewrites {name}: {compact(outcome.event[name])}")
        if entry.failure:
            found.append(f"{entry.hook} failed: {entry.failure.message}")
    return found


def compact(value: object) -> str:
    """A value as JSON without blanks."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def milliseconds(outcome: Outcome[Any]) -> float:
    """What the hooks of one dispatch took together."""
    return sum(entry.duration for entry in outcome.trace) * 1e3


def cut(text: str, width: int) -> str:
    """A text in exactly so many columns."""
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


if __name__ == "__main__":
    asyncio.run(main())
