"""An agent works through a list of tool calls, guarded by a policy: the Python program."""

import argparse
import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from hookweave import (
    GenerateEndEvent,
    HookClient,
    HookResponse,
    Outcome,
    PostToolUseEvent,
    PostToolUseFailureEvent,
    PreToolUseEvent,
)

PROJECT = "/home/dev/parcel-api"

# --- the policy ----------------------------------------------------------------------------------

# `curl … | sh` runs what nobody has seen, and meets every rule.
DANGEROUS = [
    "Bash(rm -r / *)",
    "Bash(rm -r ~ *)",
    "Bash(mkfs *)",
    "Bash(mkfs.*)",
    "Bash(dd of=/dev/*)",
    "Bash(chmod -R 777 *)",
]
# It calls nothing but itself: no rule names that.
FORK_BOMB = r":\(\)\s*\{"
PUBLISHES = ["Bash(git push *)", "Bash(npm publish *)"]
KEY_IN_FILE = r"(?m)^\s*\w*(KEY|SECRET|TOKEN|PASSWORD)\w*[ \t]*=[ \t]*\S"
KEY_IN_SHELL = r"(KEY|SECRET|TOKEN|PASSWORD)\w*=\S.*>\s*\S*\.env"
CHANGES_DATA = r"(?i)\b(drop|truncate|delete|update)\b"
INSIDE_ADDRESS = r"^https?://(169\.254\.|127\.|10\.|localhost)"
SECRET = re.compile(r"ck_(live|test)_\w{8,}")
BASH_TIMEOUT_MS = 120_000
# Millionths of a dollar for one token in and one token out.
PRICES = {"agent": (3, 15)}
BUDGET = 500_000


class Policy:
    """The hooks, and what they count."""

    def __init__(self, client: HookClient, folder: Path) -> None:
        self.folder, self.cost, self.tokens, self.tidied = folder, 0, 0, 0
        self.journal = (folder / "log.jsonl").open("w", encoding="utf-8")
        on = client.register_hook

        on("PreToolUse", self.log_asked, name="log", priority=-100)
        on(
            "PreToolUse",
            self.refuse("dangerous command"),
            name="danger",
            fail_behavior="block",
            matcher={"rule": DANGEROUS},
        )
        on(
            "PreToolUse",
            self.refuse("dangerous command"),
            name="fork-bomb",
            fail_behavior="block",
            matcher={"tool": "Bash", "command_pattern": FORK_BOMB},
        )
        on(
            "PreToolUse",
            self.refuse("a key does not belong in a file"),
            name="env-write",
            fail_behavior="block",
            matcher={"tool": "Write", "path_pattern": ".env*", "args": {"content": {"regex": KEY_IN_FILE}}},
        )
        on(
            "PreToolUse",
            self.refuse("a key does not belong in a file"),
            name="env-edit",
            fail_behavior="block",
            matcher={"tool": "Edit", "path_pattern": ".env*", "args": {"new_string": {"regex": KEY_IN_FILE}}},
        )
        on(
            "PreToolUse",
            self.refuse("a key does not belong in a file"),
            name="env-shell",
            fail_behavior="block",
            matcher={"tool": "Bash", "command_pattern": KEY_IN_SHELL},
        )
        on(
            "PreToolUse",
            self.refuse("this address is inside the network"),
            name="network",
            matcher={"tool": "WebFetch", "args": {"url": {"regex": INSIDE_ADDRESS}}},
        )
        on(
            "PreToolUse",
            self.refuse("the agent may only read the database"),
            name="database",
            matcher={"tool": "mcp__sqlite__*", "args": {"sql": {"regex": CHANGES_DATA}}},
        )
        on("PreToolUse", self.ask_before_publishing, name="push", matcher={"rule": PUBLISHES})
        on("PreToolUse", self.limit_time, name="limit", priority=10, matcher={"tool": "Bash"})
        on("PreToolUse", self.allow, name="reading", matcher={"tool_pattern": "^(Read|Glob|Grep)$"})

        on("PostToolUse", self.redact, name="redact", matcher={"tool": "Bash|Read|Grep"})
        on("PostToolUse", self.tidy, name="tidy", matcher={"tool": "Write|Edit|NotebookEdit"})
        on("PostToolUse", self.log_done, name="log", priority=100)
        on("PostToolUseFailure", self.try_again, name="retry", matcher={"tool": "WebFetch"})
        on("PostToolUseFailure", self.log_failed, name="log", priority=100)
        on("GenerateEnd", self.count_cost, name="cost")

    def refuse(self, why: str) -> Any:
        """A hook that blocks every call that its matcher selects."""

        def block(event: PreToolUseEvent) -> HookResponse:
            return HookResponse.block(f"{why}: {subject(event.args)}")

        return block

    def allow(self, event: PreToolUseEvent) -> HookResponse:
        """Reading needs no permission."""
        return HookResponse.allow()

    def ask_before_publishing(self, event: PreToolUseEvent) -> HookResponse:
        """What leaves the machine is a person's decision."""
        return HookResponse.ask(f"Run `{subject(event.args)}`?", options=["Allow once", "Deny"])

    def limit_time(self, event: PreToolUseEvent) -> HookResponse | None:
        """Every command gets a timeout, and none a longer one than the policy's."""
        if 0 < event.args.get("timeout", 0) <= BASH_TIMEOUT_MS:
            return None
        return HookResponse.continue_(modified={"args": {**event.args, "timeout": BASH_TIMEOUT_MS}})

    def redact(self, event: PostToolUseEvent) -> HookResponse | None:
        """Keys in a tool's output do not reach the model."""
        output = event.result["output"]
        clean = without_secrets(output)
        if clean == output:
            return None
        return HookResponse.continue_(modified={"result": {**event.result, "output": clean}})

    async def tidy(self, event: PostToolUseEvent) -> HookResponse | None:
        """Formats what was written: no trailing blanks, Unix line ends, one newline at the end."""
        path = in_folder(self.folder, event.args)
        old = path.read_bytes().decode()
        new = "\n".join(line.rstrip(" \t\r") for line in old.split("\n")).rstrip("\n") + "\n"
        before, after = old.split("\n"), new.split("\n")
        changed = sum(a != b for a, b in zip(before, after, strict=False)) + abs(len(before) - len(after))
        if changed == 0:
            return None
        path.write_bytes(new.encode())
        self.tidied += changed
        return HookResponse.continue_(message=f"tidied {changed} lines of {path.relative_to(self.folder / 'files')}")

    def try_again(self, event: PostToolUseFailureEvent) -> HookResponse | None:
        """A fetch that timed out deserves a second try."""
        return HookResponse.retry(delay=0.5) if "timed out" in event.error else None

    def count_cost(self, event: GenerateEndEvent) -> HookResponse | None:
        """Adds up what the model's answers cost and speaks up once when the budget is spent."""
        usage, (price_in, price_out) = event.response["usage"], PRICES[event.model]
        before = self.cost
        self.tokens += usage["input_tokens"] + usage["output_tokens"]
        self.cost += usage["input_tokens"] * price_in + usage["output_tokens"] * price_out
        if before <= BUDGET < self.cost:
            return HookResponse.continue_(message={"text": f"over budget: {dollars(self.cost)}", "level": "warning"})
        return None

    def log_asked(self, event: PreToolUseEvent) -> None:
        """Writes down what the agent wants to do."""
        self.log(event.timestamp, event.tool, "asked", subject(event.args))

    def log_done(self, event: PostToolUseEvent) -> None:
        """Writes down how a tool ended."""
        self.log(event.timestamp, event.tool, "done", f"{event.result['duration']} ms")

    def log_failed(self, event: PostToolUseFailureEvent) -> None:
        """Writes down why a tool failed."""
        self.log(event.timestamp, event.tool, "failed", first_line(event.error))

    def log(self, at: int, tool: str, what: str, detail: str) -> None:
        """Adds one line to the log."""
        line = {"at": at, "tool": tool, "what": what, "detail": detail}
        self.journal.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")


# --- the agent -----------------------------------------------------------------------------------


class Agent:
    """Makes the listed calls the way an agent's tool loop makes them."""

    def __init__(self, client: HookClient, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.outcomes: list[Outcome[Any]] = []

    async def work(self, call: dict[str, Any]) -> str:
        """Makes one call, keeps what the hooks said, and says in a word what became of it."""
        common = {"session_id": "parcel-318", "timestamp": call["at"], "cwd": PROJECT}
        response = {"text": call["text"], "usage": call["usage"], "duration": call["thought_ms"]}
        generated = {**common, "prompt": "", "response": response, "model": call["model"]}
        self.outcomes = [await self.client.dispatch("GenerateEnd", generated)]

        what = {**common, "tool": call["tool"], "args": call["args"], "tool_use_id": call["tool_use_id"]}
        asked = await self.client.dispatch("PreToolUse", what)
        self.outcomes.append(asked)
        if asked.blocked:
            return "block"
        if asked.decision == "ask" and call["answer"] == "Deny":
            return "ask: no"

        what["args"] = asked.event.args
        retried = False
        for result in call["results"]:
            carry_out(self.folder, call, what["args"], result)
            if result["success"]:
                self.outcomes.append(await self.client.dispatch("PostToolUse", {**what, "result": result}))
                break
            error = {"error": result["error"], "duration": result["duration"]}
            failed = await self.client.dispatch("PostToolUseFailure", {**what, **error})
            self.outcomes.append(failed)
            if failed.decision != "retry":
                break
            retried = True
        return "retry" if retried else "ask: yes" if asked.decision == "ask" else asked.decision


def carry_out(folder: Path, call: dict[str, Any], args: dict[str, Any], result: dict[str, Any]) -> None:
    """Does to the files in the folder what the tool did to the project's."""
    if call["tool"] not in ("Read", "Write", "Edit", "NotebookEdit") or not result["success"]:
        return
    path = in_folder(folder, args)
    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.read_bytes().decode() if path.exists() else ""
    if call["tool"] == "Read":
        new = old or result["output"]
    elif call["tool"] == "Write":
        new = args["content"]
    elif call["tool"] == "Edit" and args["old_string"] in old:
        new = old.replace(args["old_string"], args["new_string"], 1)
    else:
        new = old + (args.get("new_string") or args.get("new_source") or "")
    path.write_bytes(new.encode())


def in_folder(folder: Path, args: dict[str, Any]) -> Path:
    """Where a file of the project lies in this run."""
    path: str = args.get("file_path") or args["notebook_path"]
    return folder / "files" / path.removeprefix(f"{PROJECT}/")


# --- the table -----------------------------------------------------------------------------------

MARKS = {"block": "!", "ask": "?", "allow": "+", "retry": "~", "continue": ""}


def first_line(text: str) -> str:
    """A text up to its first line end."""
    return text.split("\n", 1)[0]


def subject(args: dict[str, Any]) -> str:
    """What a call is about: its command, file, pattern, address or query."""
    keys = ("command", "file_path", "notebook_path", "pattern", "url", "sql", "description", "ticket")
    return without_secrets(first_line(next((str(args[key]) for key in keys if key in args), "")))


def without_secrets(text: str) -> str:
    """A text without the keys that it shows."""
    return SECRET.sub("[redacted]", text)


def cut(text: str, width: int) -> str:
    """A text in exactly so many columns."""
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


def dollars(cost: int) -> str:
    """Millionths of a dollar, for people."""
    return f"${cost // 1_000_000}.{cost % 1_000_000 // 100:04}"


def hooks_that_ran(outcome: Outcome[Any]) -> str:
    """The hooks of one dispatch with a mark for what each said."""
    names = []
    for entry in outcome.trace:
        if entry.status != "skipped":
            mark = "x" if entry.status == "failed" else MARKS[entry.action]
            names.append(entry.hook + mark + ("*" if entry.modified else ""))
    return " ".join(names)


def microseconds(outcomes: list[Outcome[Any]]) -> float:
    """What the hooks of some dispatches took together."""
    return sum(entry.duration for outcome in outcomes for entry in outcome.trace) * 1e6


def row(number: int, call: dict[str, Any], verdict: str, outcomes: list[Outcome[Any]]) -> str:
    """One call of the table, with what the hooks had to say about it beneath."""
    ran = " | ".join(part for part in map(hooks_that_ran, outcomes) if part)
    about = subject(call["args"]).replace(f"{PROJECT}/", "", 1)
    time = microseconds(outcomes)
    lines = [f"{number:>3} {cut(call['tool'], 9)} {cut(about, 31)} {cut(ran, 37)} {verdict:<8} {time:>7.1f}"]
    for outcome in outcomes:
        notes = [outcome.reason] if outcome.reason else []
        notes += [ask.prompt for ask in outcome.asks if ask.prompt and ask.prompt not in notes]
        notes += [message.text for message in outcome.messages]
        lines += [f"      > {note}"[:100] for note in notes]
    return "\n".join(lines)


async def main() -> None:
    """Works through the calls and prints what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="an empty folder for the files, the log and the records of this run")
    parser.add_argument("calls", type=Path, help="the calls, one JSON object a line")
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    calls = [json.loads(line) for line in options.calls.read_text(encoding="utf-8").splitlines()]
    print(f"{'#':>3} {'tool':<9} {'asked':<31} {'hooks that ran':<37} {'decision':<8} {'µs':>7}")
    verdicts: Counter[str] = Counter()
    dispatches, total = 0, 0.0
    with HookClient() as client, (folder / "records.jsonl").open("w", encoding="utf-8") as out:
        policy, agent = Policy(client, folder), Agent(client, folder)
        for number, call in enumerate(calls, 1):
            verdict = await agent.work(call)
            records = [outcome.to_dict() for outcome in agent.outcomes]
            out.write(json.dumps({"call": number, "verdict": verdict, "outcomes": records}) + "\n")
            print(row(number, call, verdict, agent.outcomes))
            verdicts[verdict] += 1
            dispatches, total = dispatches + len(records), total + microseconds(agent.outcomes)
        policy.journal.close()
    stopped = verdicts["block"] + verdicts["ask: no"]
    print(
        f"\n{len(calls)} calls: {len(calls) - stopped} ran, {verdicts['block']} blocked, {verdicts['ask: no']} denied,"
    )
    print(f"{verdicts['retry']} retried; {policy.tidied} lines tidied; {policy.tokens} tokens, {dollars(policy.cost)};")
    print(f"{dispatches} dispatches; their hooks took {total:.0f} µs, file work included")


if __name__ == "__main__":
    asyncio.run(main())
