"""A dry run: one call of one session deploys nothing, and other sessions are not affected."""

import asyncio

from hookweave import HookClient, HookResponse, PreToolUseEvent, Session

client = HookClient()


def dry_run(event: PreToolUseEvent) -> HookResponse:
    """Makes a deployment a rehearsal."""
    return HookResponse.continue_(modified={"args": {**event.args, "command": f"{event.args['command']} --dry-run"}})


async def deploy(session: Session) -> None:
    """The call in question."""
    call = await session.run_tool("Bash", {"command": "./deploy.sh shop"}, lambda args: f"ran {args['command']}")
    print(f"  {session.id}: {call.output}")


async def rehearse(session: Session, other: Session) -> None:
    """Registers the hook for the length of a block, however the block ends."""
    deployments = {"tool": "Bash", "command_pattern": r"^\./deploy\.sh"}
    with session.temporary_hook("PreToolUse", dry_run, name="dry-run", matcher=deployments, fail_behavior="block"):
        await deploy(session)
        await deploy(other)
        raise RuntimeError("the rehearsal was broken off")


async def main() -> None:
    """Before, during and after."""
    mine, other = client.session("mine"), client.session("other")
    print("before")
    await deploy(mine)
    print("during")
    try:
        await rehearse(mine, other)
    except RuntimeError as error:
        print(f"  {error}")
    print("after")
    await deploy(mine)
    print(f"hooks that are left: {len(client.list_hooks())}")


asyncio.run(main())
