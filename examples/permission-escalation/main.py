"""An agent that may only read asks for more: once, for the whole session, or in vain."""

import asyncio
from typing import Any

from hookweave import ApprovalRequest, HookClient, HookResponse, PermissionGrantedEvent, PreToolUseEvent, Session
from hookweave.session import Permission

# The person of this run: what they answer, in the order in which they are asked.
ANSWERS = iter(["Allow once", "Allow always", "Deny"])

client = HookClient()


@client.hook("PreToolUse", name="read-only", matcher={"tool": "Write"}, fail_behavior="block")
def read_only(event: PreToolUseEvent) -> HookResponse:
    """Asks before the first write; "Allow always" then holds for every write of the session."""
    return HookResponse.ask("The agent has only been reading. Let it write?", remember="tool")


@client.hook("PermissionRequest", name="secrets", matcher={"path_pattern": "**/.env*"}, fail_behavior="block")
def secrets(event: Any) -> HookResponse:
    """A file with secrets is denied without a question, and no "Allow always" applies to it."""
    return HookResponse.block("files with secrets stay as they are")


@client.hook("PermissionRequest", name="scratch", matcher={"path_pattern": "/tmp/**"})
def scratch(event: Any) -> HookResponse:
    """Scratch files need no question."""
    return HookResponse.allow()


@client.hook("PermissionGranted")
def granted(event: PermissionGrantedEvent) -> None:
    """Says who let it pass: a person, what they said before, or a hook."""
    print(f"    granted by {event.by}")


def person(request: ApprovalRequest) -> str:
    """Answers as the list says."""
    answer = next(ANSWERS)
    print(f"    {request.prompt} {answer}")
    return answer


async def attempt(session: Session, tool: str, path: str) -> None:
    """Makes one call and says what became of it."""
    print(f"{tool} {path}")
    call = await session.run_tool(tool, {"file_path": path}, lambda args: "done")
    print(f"    {call.output}" if call.ran else f"    refused by {call.by}: {call.reason}")


async def main() -> None:
    """Two sessions: what is granted in the first says nothing about the second."""
    permissions: dict[str, Permission] = {"Read": "allow", "Write": "ask", "*": "deny"}
    async with client.session(cwd="/home/dev/shop", approval=person, permissions=permissions) as session:
        await attempt(session, "Read", "src/app.py")
        await attempt(session, "Write", "/tmp/notes.md")
        await attempt(session, "Write", "src/app.py")
        await attempt(session, "Write", "src/app.py")
        await attempt(session, "Write", "src/other.py")
        await attempt(session, "Write", "src/.env")
        await attempt(session, "Delete", "src/app.py")
    print("another session")
    async with client.session(cwd="/home/dev/shop", approval=person, permissions=permissions) as session:
        await attempt(session, "Write", "src/app.py")


asyncio.run(main())
