"""Several hooks watch over one call: which of them look at it, in which order, and why the others do not."""

import asyncio
from typing import Any

from hookweave import HookClient, HookResponse, Outcome, PreToolUseEvent

client = HookClient()


@client.hook("PreToolUse", name="audit", priority=-100)
def audit(event: PreToolUseEvent) -> None:
    """Sees every call first."""


@client.hook("PreToolUse", name="no-force", matcher={"rule": "Bash(git push --force*)"}, fail_behavior="block")
def no_force(event: PreToolUseEvent) -> HookResponse:
    """Protects what others have fetched."""
    return HookResponse.block("others have this history already; use git revert")


@client.hook("PreToolUse", name="ask-before-push", priority=10, matcher={"rule": "Bash(git push *)"})
def ask_before_push(event: PreToolUseEvent) -> HookResponse:
    """Nothing leaves the machine unasked."""
    return HookResponse.ask("Publish these commits?")


@client.hook("PreToolUse", name="protect-secrets", matcher={"path_pattern": "**/.env*"}, fail_behavior="block")
def protect_secrets(event: PreToolUseEvent) -> HookResponse:
    """Keeps files with secrets as they are."""
    return HookResponse.block("files with secrets stay as they are")


@client.hook("PreToolUse", name="freeze", matcher={"tool": "Edit|Write"}, enabled=False)
def freeze(event: PreToolUseEvent) -> HookResponse:
    """Switched on before a release."""
    return HookResponse.block("no changes before the release")


def explain(**call: Any) -> None:
    """What each hook would make of a call; none of them is run."""
    for hook in client.explain("PreToolUse", **call).hooks:
        print(f"  {hook.priority:>4}  {hook.hook:<17}{'looks at it' if hook.matched else hook.why}")


def decided(outcome: Outcome[Any]) -> None:
    """What came of it, and what each hook that ran had to say."""
    print(f"  {outcome.decision}: {outcome.reason or outcome.asks[0].prompt}")
    for entry in outcome.trace:
        print(f"    {entry.hook} {entry.status}: {entry.why or entry.action}")


async def main() -> None:
    """Three calls."""
    for tool, args in (
        ("Bash", {"command": "cd shop && git push --force origin main"}),
        ("Bash", {"command": "git push origin main"}),
        ("Write", {"file_path": "src/../.env.local", "content": "KEY=1"}),
    ):
        print(f"{tool} {args.get('command') or args['file_path']}")
        explain(tool=tool, args=args)
        decided(await client.dispatch("PreToolUse", tool=tool, args=args))


asyncio.run(main())
