"""Asks a person before anything under production changes; everything else is written at once."""

import asyncio
import sys
from typing import Any

from hookweave import ApprovalRequest, HookClient, HookResponse, PreToolUseEvent

client = HookClient()
files: dict[str, str] = {}


# Wherever the folder lies, and however the path is written. Should the hook itself break, nothing is written.
@client.hook("PreToolUse", matcher={"tool": "Write|Edit", "path_pattern": "**/production/**"}, fail_behavior="block")
def production(event: PreToolUseEvent) -> HookResponse:
    """Asks, and gives the person a minute; silence is a no."""
    return HookResponse.ask(f"Write {event.args['file_path']}?", timeout=60, default="deny")


@client.hook("PreToolUse", matcher={"tool": "Write", "path_pattern": "*.yaml"}, priority=-10)
def stamp(event: PreToolUseEvent) -> HookResponse:
    """Changes what is written before the question: a person sees what will run, and that is what runs."""
    return HookResponse.continue_(modified={"args": {**event.args, "content": f"# by agent\n{event.args['content']}"}})


def on_call(request: ApprovalRequest) -> str:
    """Stands for the person on call, who lets the number of replicas change and nothing else."""
    print(f"    {request.prompt}\n    {request.shown}")
    answer = "Allow once" if "replicas" in request.args["content"] else "Deny"
    print(f"    {answer}")
    return answer


def write(args: dict[str, Any]) -> str:
    """Stands for a tool that writes files."""
    files[args["file_path"]] = args["content"]
    return "written"


CALLS = [
    {"file_path": "staging/app.yaml", "content": "debug: true"},
    {"file_path": "production/app.yaml", "content": "replicas: 4"},
    {"file_path": "production/app.yaml", "content": "debug: true"},
    {"file_path": "staging/../production/db.yaml", "content": "host: localhost"},
]


async def main() -> None:
    """Makes the calls; with `--terminal` it is you who is asked."""
    asked_at_the_terminal = "--terminal" in sys.argv
    async with client.session(cwd="/srv/shop", approval="terminal" if asked_at_the_terminal else on_call) as session:
        for args in CALLS:
            print(f"Write {args['file_path']}")
            call = await session.run_tool("Write", args, write)
            print(f"    {call.output if call.ran else call.reason}")
    print("now there are", ", ".join(sorted(files)))


asyncio.run(main())
