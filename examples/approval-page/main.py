"""An agent whose calls wait for a person in a browser."""

import argparse
import asyncio
from typing import Any

from approval_page import ApprovalPage
from hookweave import HookClient, HookResponse, PreToolUseEvent, ToolOutcome

# What the agent wants to do, all at once. The second call was written to deceive the person who approves it.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {"command": "npm run build && npm publish"}),
    ("Bash", {"command": "echo ok </pre><script>document.title='owned'</script>\u202e \x1b[2K\r# fr- mr"}),
    ("Write", {"file_path": "deploy/production.yaml", "content": "replicas: 3\nimage: shop:1.4.0\n"}),
]


def policy(client: HookClient, seconds: float) -> None:
    """Asks about commands that publish or that are not understood, and about what goes to production."""

    @client.hook("PreToolUse", name="commands", matcher={"rule": "Bash(npm publish *)"}, fail_behavior="block")
    def commands(event: PreToolUseEvent) -> HookResponse:
        return HookResponse.ask("May the agent run this command?", timeout=seconds)

    @client.hook("PreToolUse", name="production", matcher={"path_pattern": "deploy/**"}, fail_behavior="block")
    def production(event: PreToolUseEvent) -> HookResponse:
        choices = ["Allow once", "Allow always", "Not today", "Deny"]
        question = "May the agent change production?"
        return HookResponse.ask(question, options=choices, timeout=seconds, remember="tool")


async def main() -> None:
    """Serves the page until everything is decided."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the page's port; a free one when none is given")
    parser.add_argument("--origin", action="append", default=[], help="the address of a tunnel, as https://…")
    parser.add_argument("--seconds", type=float, default=300, help="how long a question waits")
    options = parser.parse_args()

    client = HookClient()
    policy(client, options.seconds)
    session = client.session("shop", approval="pending")
    with ApprovalPage(session, port=options.port, origins=options.origin) as page:
        print(f"Open {page.link}", flush=True)
        pending = [session.run_tool(tool, args, lambda args: "done") for tool, args in CALLS]
        outcomes: list[ToolOutcome] = await asyncio.gather(*pending)
    for call in outcomes:
        print(f"{call.tool}: {call.output if call.ran else call.reason}")


asyncio.run(main())
