"""Runs the tests when the agent says that it is done, and keeps it at work while they fail."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookResponse, ModelRequest, StopEvent

TESTS = [sys.executable, "-B", "-m", "unittest", "--quiet"]

client = HookClient()


# Fail-closed: tests that hang, or cannot be run at all, do not pass.
@client.hook("Stop", run_in_thread=True, timeout=120, fail_behavior="block")
def tests_pass(event: StopEvent) -> HookResponse | None:
    """Lets the agent stop when the tests pass; else it goes on, and is told why."""
    done = subprocess.run(TESTS, capture_output=True, text=True, timeout=110)
    print(f"the agent wants to stop; the tests are {'red' if done.returncode else 'green'}")
    if done.returncode == 0:
        return None
    return HookResponse.block(f"The tests fail. Mend the code, not the tests.\n{(done.stdout + done.stderr)[-4000:]}")


FILES = {
    "test_add.py": "from unittest import TestCase\n\nfrom add import add\n\n\nclass Test(TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(2, 3), 5, '2 and 3 are 5')\n",
    "add.py": "def add(a, b):\n    return a - b\n",
}
MENDED = "def add(a, b):\n    return a + b\n"


def model(request: ModelRequest) -> dict[str, Any]:
    """Stands for a model: it writes a wrong function with its test, and mends it when it reads that the test fails."""
    last = request.messages[-1]
    if last.role == "tool":
        return {"text": "I am done."}
    if last.metadata["source"] == "user":
        return {"tool_calls": [writing(path, content) for path, content in FILES.items()]}
    print("the model reads that", "2 and 3 are 5" if "2 and 3 are 5" in last.content else last.content)
    return {"tool_calls": [writing("add.py", MENDED)]}


def writing(path: str, content: str) -> dict[str, Any]:
    """A call of the tool."""
    return {"name": "Write", "args": {"file_path": path, "content": content}}


def write(args: dict[str, Any]) -> str:
    """A tool that writes files."""
    Path(args["file_path"]).write_text(args["content"])
    return "written"


async def main() -> None:
    """Two agents: one that mends what is wrong, and one that never does."""
    client.register_tool("Write", write)
    client.register_model(model)
    answer = await client.generate("diligent", "Write a function that adds two numbers, and its test.")
    print(f"{answer.status} after {answer.model_calls} calls of the model\n")

    write({"file_path": "add.py", "content": FILES["add.py"]})
    client.register_model(lambda request: "I am done.")
    answer = await client.generate("stubborn", "Make the test pass.")
    print(f"{answer.status} after {answer.model_calls} calls of the model")


asyncio.run(main())
