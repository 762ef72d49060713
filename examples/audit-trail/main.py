"""Writes down who did what, and what became of it: a line of JSON when a call is asked for, and one when it is over."""

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookResponse, PreToolUseEvent, Session, ToolOutcome

TRAIL = Path("trail.jsonl")
# What a call is about. What it would write, or carries along, is no business of the trail's.
ABOUT = ("command", "file_path", "url")

client = HookClient()


def note(session_id: str, agent_id: str | None, call: str, **facts: Any) -> None:
    """Appends a line, and raises when it cannot."""
    who = {"at": time.time_ns() // 1_000_000, "session": session_id, "agent": agent_id or "main", "call": call}
    line = json.dumps({**who, **facts}, separators=(",", ":"), ensure_ascii=False)
    with TRAIL.open("a", encoding="utf-8") as trail:
        trail.write(line + "\n")


# Before all other hooks, so that what they refuse is there, too. Fail-closed: what cannot be written down is not done.
@client.hook("PreToolUse", priority=-1000, fail_behavior="block")
def asked(event: PreToolUseEvent) -> None:
    """Writes down what an agent is about to do."""
    about = next((event.args[name] for name in ABOUT if name in event.args), None)
    note(event.session_id, event.agent_id, event.tool_use_id, what="asked", tool=event.tool, about=about)


async def audited(session: Session, tool: str, args: dict[str, Any], call: str) -> ToolOutcome:
    """Makes a call and writes down what became of it, whoever refused it."""
    done = await session.run_tool(tool, args, tool_use_id=call)
    what = "done" if done.ok else "failed" if done.ran else "refused"
    why = {"by": done.by, "why": done.reason} if not done.ran else {"why": str(done.error)} if done.error else {}
    note(session.id, session.agent_id, call, what=what, **why)
    return done


@client.hook("PreToolUse", name="guard", matcher={"rule": "Bash(sudo *)"}, fail_behavior="block")
def guard(event: PreToolUseEvent) -> HookResponse:
    """What is refused is in the trail as well."""
    return HookResponse.block("sudo is forbidden")


def bash(args: dict[str, Any]) -> str:
    """Stands for a tool that runs commands; there is no `make` on this machine."""
    if args["command"].startswith("make"):
        raise FileNotFoundError("make: not found")
    return "ok"


async def main() -> None:
    """A session and its subagent at work."""
    client.register_tool("Bash", bash, permission="allow")
    client.register_tool("Deploy", lambda args: "deployed", permission="ask")
    async with client.session("parcel-318", approval="deny") as session:
        await audited(session, "Bash", {"command": "ls", "env": {"API_KEY": "sk-1234"}}, "call-1")
        await audited(session, "Bash", {"command": "sudo make install"}, "call-2")
        await audited(session, "Deploy", {"url": "https://shop.test"}, "call-3")
        async with session.subagent("reviewer", "reviewer-1") as reviewer:
            await audited(reviewer, "Bash", {"command": "make test"}, "call-4")
    for line in TRAIL.read_text(encoding="utf-8").splitlines():
        print(re.sub(r'"at":\d+', '"at":…', line))


asyncio.run(main())
