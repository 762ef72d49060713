"""Agents and workers as programs of their own, for tests that kill one of them.

A program writes a line for each thing that happened, and reads one for each thing to do.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from queue import Empty, Queue
from typing import Any

from hookweave import HookClient, HookResponse

from support import LIMIT


class Program:
    """A running program of this file."""

    def __init__(self, role: str, address: str, **options: Any) -> None:
        self._start([__file__, role, address, json.dumps(options)])

    @classmethod
    def of(cls, *command: str) -> Program:
        """Another program of Python's that writes and reads lines."""
        program = cls.__new__(cls)
        program._start(list(command))
        return program

    def _start(self, arguments: list[str]) -> None:
        command = [sys.executable, *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())

    def expect(self, line: str) -> None:
        """Waits for a line, and passes over others."""
        seen: list[str] = []
        while line not in seen:
            try:
                seen.append(self._lines.get(timeout=LIMIT))
            except Empty:
                raise AssertionError(f"{line} did not come, but {seen}") from None

    async def saw(self, line: str) -> None:
        """The same while the loop goes on."""
        await asyncio.to_thread(self.expect, line)

    def say(self, line: str) -> None:
        """Tells it what to do."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Ends it at once, as ``kill -9`` does."""
        self._process.kill()
        self._process.wait(LIMIT)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


def tell(line: str) -> None:
    """Tells the test what happened."""
    print(line, flush=True)


def worker_client() -> HookClient:
    """The hooks of a worker."""
    client = HookClient(default_timeout=600)

    @client.hook("PreToolUse", matcher={"tool": "Bash"}, fail_behavior="block")
    def guard(event: Any) -> HookResponse | None:
        command = event.args["command"]
        if command.startswith("rm"):
            return HookResponse.block("no rm")
        if command.startswith("cat"):
            return HookResponse.continue_(modified={"args": {"command": "ls"}})
        if command.startswith("dd"):
            return HookResponse.ask("sure?")
        return None

    @client.hook("PreToolUse", matcher={"tool": "Slow"}, fail_behavior="block")
    async def slow(event: Any) -> None:
        tell("slow runs")
        try:
            await asyncio.sleep(LIMIT)
        except asyncio.CancelledError:
            tell("slow was cancelled")
            raise

    return client


async def work(address: str, options: dict[str, Any]) -> None:
    """A worker until it is told to leave."""
    async with await worker_client().connect(address, **options) as connection:
        await connection.ready()
        tell("ready")
        await asyncio.to_thread(sys.stdin.readline)
    tell("left")


async def serve(address: str, options: dict[str, Any]) -> None:
    """An agent that dispatches each line that it reads, as a command of Bash, and writes the decision."""
    client = HookClient()
    async with await client.serve(address, **options):
        tell("serves")
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if line == "hooks":
                tell("hooks " + " ".join(sorted(hook.name for hook in client.list_hooks())))
            else:
                tell((await client.dispatch("PreToolUse", tool="Bash", args={"command": line})).decision)


if __name__ == "__main__":
    run = {"work": work, "serve": serve}[sys.argv[1]]
    asyncio.run(run(sys.argv[2], json.loads(sys.argv[3])))
