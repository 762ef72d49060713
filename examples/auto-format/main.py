"""Runs a formatter on every file that the agent writes, and tells the model that the file is another one now."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookResponse, PostToolUseEvent

# What formats a file of which kind; the path is added at the end.
FORMATTERS = {
    ".py": ["ruff", "format", "--quiet", "--"],
    ".js": ["prettier", "--write", "--log-level", "error", "--"],
}

client = HookClient()


# In a thread of its own, so that other work of the agent goes on meanwhile.
@client.hook("PostToolUse", matcher={"tool": "Write|Edit"}, run_in_thread=True, timeout=120)
def tidy(event: PostToolUseEvent) -> HookResponse | None:
    """Formats the file. When the formatter fails, the hook has failed: that is logged, and the file stays."""
    path = Path(event.args["file_path"])
    formatter = FORMATTERS.get(path.suffix)
    if formatter is None:
        return None
    before = path.read_bytes()
    subprocess.run([*formatter, str(path)], check=True, capture_output=True, timeout=110)
    if path.read_bytes() == before:
        return None
    # A model that does not know would look in vain for its own text when it edits the file.
    return HookResponse.continue_(inject=f"{path} was formatted; it is not what was written any more.")


def write(args: dict[str, Any]) -> str:
    """A tool that writes files."""
    Path(args["file_path"]).write_text(args["content"])
    return "written"


FILES = {
    "add.py": "def add( a,b ):\n  return a+b\n",
    "add.js": "export function add( a,b ) { return a+b }\n",
    "tidy.py": "ANSWER = 42\n",
    "notes.txt": "two  blanks\n",
}


async def main() -> None:
    """Writes files as a model would have them written."""
    async with client.session() as session:
        for name, content in FILES.items():
            call = await session.run_tool("Write", {"file_path": name, "content": content}, write)
            print(f"{name}: {call.injected[0].content if call.injected else 'as it was written'}")
            print("".join(f"    {line}\n" for line in Path(name).read_text().splitlines()), end="")


asyncio.run(main())
