"""An agent with hooks of its own and of a file: the same as agent.mjs, and as that of core/tests/it/recording.rs."""

import asyncio
import sys

from hookweave import HookClient, HookResponse


async def main(policy: str) -> None:
    """Raises the events that `expected.jsonl` holds."""
    client = HookClient()
    await client.dispatch("UserPromptSubmit", session_id="s", prompt="nobody is asked: ä \N{PARTY POPPER}")
    client.register_hook("PreToolUse", lambda event: None, name="watch")
    client.load(policy)

    async def bash(command: str, **args: object) -> None:
        args = {"command": command, **args}
        await client.dispatch("PreToolUse", session_id="s", tool="Bash", tool_use_id="t", args=args)

    await bash("ls", limit=10, share=0.5)
    await bash("git push --force")
    await bash("deploy --token=s3cretpassword", password="hunter2")

    client.register_hook(
        "PreToolUse",
        lambda event: HookResponse(modified={"args": {"command": "ls -l"}}),
        name="rewrite",
        matcher={"command_pattern": "^ls"},
    )
    await bash("ls")
    client.register_hook(
        "PreToolUse", lambda event: HookResponse.block("not here"), name="guard", matcher={"tool": "Write"}
    )
    await client.dispatch("PreToolUse", session_id="s", tool="Write", tool_use_id="t", args={"file_path": "a"})
    client.close()


asyncio.run(main(sys.argv[1]))
