"""Keeps a log of who did what and what became of it, in which nothing can be changed without being noticed."""

import asyncio
import json
from pathlib import Path
from typing import Any

from hookweave import HookClient
from hookweave.audit import verify

LOG = Path("audit.jsonl")

# Redacted: what a call was about is kept, secrets in it are blacked out. Required: what cannot be recorded is not done.
client = HookClient(audit={"file": LOG, "inputs": "redacted", "required": True})
# What is refused is in the log as well.
client.guard("Bash(sudo *)", "sudo is forbidden")


def bash(args: dict[str, Any]) -> str:
    """Stands for a tool that runs commands; there is no `make` on this machine."""
    if args["command"].startswith("make"):
        raise FileNotFoundError("make: not found")
    return "done"


async def work() -> None:
    """A session and its subagent at work; there is no approver for the deployment."""
    async with client.session("parcel-318", permissions={"Deploy": "ask"}) as session:
        await session.run_tool("Bash", {"command": "ls", "api_key": "sk-1234567890abcdef"}, bash)
        await session.run_tool("Bash", {"command": "sudo make install"}, bash)
        await session.run_tool("Deploy", {"url": "https://shop.test"}, lambda args: "deployed")
        async with session.subagent("reviewer", "reviewer-1") as reviewer:
            await reviewer.run_tool("Bash", {"command": "make test"}, bash)


def show(record: dict[str, Any]) -> None:
    """Prints what one record of a tool call tells."""
    args = json.dumps(record["input"]["payload"]["args"], separators=(",", ":"))
    why = record.get("reason") or record["details"].get("error")
    by = record["details"].get("by")
    print(f"{record.get('agent', 'main')}: {record['tool']} {args}")
    print(f"    {record['outcome']}{f' by {by}' if by else ''}{f': {why}' if why else ''}")


asyncio.run(work())
client.flush_audit()
for line in LOG.read_text(encoding="utf-8").splitlines():
    record = json.loads(line)
    if record["kind"] == "tool_run":
        show(record)

# Kept in another place, it proves later that nothing is missing at the end.
anchor = client.audit_anchor
print(f"the log is {'whole' if verify(LOG, anchor).whole else 'not whole'}")
print("a change to the log hides the request for sudo")
LOG.write_text(LOG.read_text(encoding="utf-8").replace("sudo make install", "make install"), encoding="utf-8")
report = verify(LOG, anchor)
problem = report.problems[0]
print(f"the log is {'whole' if report.whole else 'not whole'}: record {problem.seq} was {problem.kind}")
