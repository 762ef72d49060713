"""An agent in Python that a worker in another language guards."""

import asyncio
import subprocess
from pathlib import Path

from hookweave import HookClient

agent = HookClient()


async def ask(command: str) -> None:
    """What the hooks say of a command; the agent would run it if they let it."""
    outcome = await agent.dispatch("PreToolUse", tool="Bash", args={"command": command})
    because = f", because {outcome.reason}" if "--force" in command else ""
    print(f"{command}: {outcome.decision}{because}")


async def main() -> None:
    """With a worker, and without it."""
    address = f"unix://{Path.cwd()}/hooks.sock"
    async with await agent.serve(address):
        worker = await asyncio.create_subprocess_exec("node", "worker.cjs", address, stdout=subprocess.PIPE)
        assert worker.stdout is not None
        await worker.stdout.readline()
        print(f"the worker is ready: {agent.list_hooks()[0].name}")
        await ask("git push")
        await ask("git push --force")
        worker.kill()
        await worker.wait()
        print("the worker is killed")
        await ask("git push")


asyncio.run(main())
