"""Runs a linter on every file that the agent writes, and has the model fix what it finds in the same turn."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookResponse, ModelRequest, PostToolUseEvent

# What looks at a file of which kind; it exits with 0 when it finds nothing, with 1 when it does.
LINTERS = {".py": ["ruff", "check", "--quiet", "--output-format", "concise", "--"], ".js": ["eslint", "--"]}

client = HookClient()


@client.hook("PostToolUse", matcher={"tool": "Write|Edit"}, run_in_thread=True, timeout=120)
def lint(event: PostToolUseEvent) -> HookResponse | None:
    """Tells the model what the linter finds; when the linter breaks, this hook has failed, and the log says so."""
    path = Path(event.args["file_path"])
    if path.suffix not in LINTERS:
        return None
    done = subprocess.run([*LINTERS[path.suffix], str(path)], capture_output=True, text=True, timeout=110)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the linter ended with {done.returncode}: {done.stderr}")
    findings = done.stdout.replace(f"{Path.cwd()}/", "").strip()
    print(f"{path} is written; the linter {'objects' if findings else 'finds nothing'}")
    return HookResponse.continue_(inject=f"The linter objects to {path}:\n{findings}") if findings else None


DRAFTS = {
    "area.py": "import os\n\n\ndef area(width, height):\n    return width * heigth\n",
    "area.js": "export function area(width, height) {\n  return width * heigth;\n}\n",
}
MENDED = {
    "area.py": "def area(width, height):\n    return width * height\n",
    "area.js": "export function area(width, height) {\n  return width * height;\n}\n",
}


def model(request: ModelRequest) -> dict[str, Any]:
    """Stands for a model: it writes both files with mistakes, and mends those files that it is told of."""
    written = sum(message.role == "tool" for message in request.messages)
    objections = [message.content for message in request.messages if message.metadata["source"] == "hook"]
    if written == 0:
        return {"tool_calls": [writing(path, draft) for path, draft in DRAFTS.items()]}
    if written == len(DRAFTS):
        print("\nThe model reads:\n" + "\n".join(objections) + "\n")
        mends = [path for path in MENDED if any(path in text for text in objections)]
        return {"tool_calls": [writing(path, MENDED[path]) for path in mends]}
    return {"text": "Both functions are written."}


def writing(path: str, content: str) -> dict[str, Any]:
    """A call of the tool."""
    return {"name": "Write", "args": {"file_path": path, "content": content}}


def write(args: dict[str, Any]) -> str:
    """A tool that writes files."""
    Path(args["file_path"]).write_text(args["content"])
    return "written"


client.register_tool("Write", write)
client.register_model(model)
answer = asyncio.run(client.generate("s1", "Write a function for areas, in Python and in JavaScript."))
print(f"\nThe model after {answer.model_calls} calls: {answer.text}")
