"""Secrets are taken out before the model sees them: of prompts, of what tools print, of what the model passes on."""

import asyncio
import re
from typing import Any

from hookweave import HookClient, HookResponse, ModelRequest, PostToolUseEvent, PreToolUseEvent, UserPromptSubmitEvent

# What keys look like. A pattern for each kind that your people and programs have.
SECRETS = re.compile(r"\b(?:sk|ghp|AKIA)[-_]?[A-Za-z0-9_]{16,}|(?<=password=)\S+")

client = HookClient()


def redacted(value: Any) -> Any:
    """The value without secrets, however deep in lists and objects they are."""
    if isinstance(value, str):
        return SECRETS.sub("[removed]", value)
    if isinstance(value, list):
        return [redacted(item) for item in value]
    if isinstance(value, dict):
        return {key: redacted(item) for key, item in value.items()}
    return value


@client.hook("UserPromptSubmit", fail_behavior="block")
def redact_prompt(event: UserPromptSubmitEvent) -> HookResponse | None:
    """Of the prompt; where this hook fails the prompt is refused, not let through."""
    clean = redacted(event.prompt)
    if clean == event.prompt:
        return None
    return HookResponse.continue_(modified={"prompt": clean}, message="a secret was taken out of your prompt")


@client.hook("PreToolUse", priority=100, fail_behavior="block")
def redact_args(event: PreToolUseEvent) -> HookResponse | None:
    """Of what the model passes on, after all other hooks."""
    clean = redacted(event.to_dict()["args"])
    return HookResponse.continue_(modified={"args": clean}) if clean != event.args else None


@client.hook("PostToolUse", priority=-100)
def redact_result(event: PostToolUseEvent) -> HookResponse | None:
    """Of what tools print, before all other hooks."""
    clean = redacted(event.to_dict()["result"])
    return HookResponse.continue_(modified={"result": clean}) if clean != event.result else None


class Screen:
    """Where the user reads messages."""

    def show_message(self, text: str, level: str, source: str) -> None:
        """Prints the text with the hook that it is from."""
        print(f"{source}: {text}")


def bash(args: dict[str, Any]) -> str:
    """Stands for a shell."""
    print(f"the shell runs: {args['command']}")
    return "user=shop password=correct-horse" if args["command"] == "cat db.conf" else "done"


def model(request: ModelRequest) -> dict[str, Any]:
    """Stands for a model: looks into a file, then passes on a key that it knows from somewhere else."""
    last = request.messages[-1]
    print(f"the model sees: {last.content if last.role == 'user' else last.content['output']}")
    commands = ["cat db.conf", "curl --header 'Key: ghp_0123456789abcdefghij' api.example"]
    calls = sum(message.role == "tool" for message in request.messages)
    if calls == len(commands):
        return {"text": "The database is reachable."}
    return {"tool_calls": [{"id": str(calls), "name": "Bash", "args": {"command": commands[calls]}}]}


async def main() -> None:
    """Answers a prompt that contains a key."""
    client.register_tool("Bash", bash)
    client.register_model(model)
    session = client.session(display=Screen())
    answer = await session.generate("Is the database up? The key is sk-4f9c2b7a1e8d6035aa41.")
    print(answer.text)


asyncio.run(main())
