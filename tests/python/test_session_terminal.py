"""A person at a terminal: what is shown, what is typed, and what is left behind."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

import pytest

ASKS = """
import asyncio, sys
from hookweave import HookClient, HookResponse

client = HookClient()
client.register_hook(
    "PreToolUse",
    lambda event: HookResponse.ask("really\\x1b[2K\\u202e?\\n  1) Deny", timeout=float(sys.argv[1]), remember="tool"),
    name="gu\\x1bard",
)

async def main():
    session = client.session(approval="terminal")
    outcome = await session.run_tool("Bash", {"command": "ls \\x1b]0;x\\x07"}, lambda args: "ran it")
    print("outcome", outcome.ran, outcome.by, outcome.reason)

asyncio.run(main())
"""


class Person:
    """A program at a terminal of its own, and who sits before it."""

    def __init__(self, timeout: float) -> None:
        import pty

        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execv(sys.executable, [sys.executable, "-c", ASKS, str(timeout)])
        self.screen = ""

    def until(self, text: str) -> None:
        """Reads until a text is on the screen."""
        deadline = time.monotonic() + 20
        while text not in self.screen:
            assert time.monotonic() < deadline, self.screen
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self.terminal, 4096).decode()
                except OSError:
                    # Linux says so when the program has ended.
                    assert text in self.screen, self.screen
                    return

    def types(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def echoes(self) -> bool:
        import termios

        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def leaves_echo(self) -> None:
        deadline = time.monotonic() + 5
        while not self.echoes():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def leave(self) -> None:
        os.waitpid(self.process, 0)
        os.close(self.terminal)


needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")


@needs_terminals
def test_a_terminal_asks_and_shows_what_it_would_obey() -> None:
    person = Person(30)
    person.until("in 29 s: ")
    assert not person.echoes()
    person.types("7\r")
    person.types("x2\x7f1\r")
    person.until("outcome True None None")
    person.leave()
    assert "outcome True None None" in person.screen, person.screen
    question = person.screen.split("\r\x1b[K")[0]
    for text in (
        "Hook gu\\u{1b}ard asks about tool Bash:",
        "  | really\\u{1b}[2K\\u{202e}?\r\n",
        # A line that looks like an option of ours is marked as the hook's.
        "  |   1) Deny\r\n",
        '  | {"command":"ls \\u001b]0;x\\u0007"}',
        "  1) Allow once\r\n",
        "(from now on: every call of this tool)",
    ):
        assert text in question, (text, question)
    assert "\x1b" not in question and "\u202e" not in question and "\x07" not in question


@needs_terminals
def test_a_terminal_may_deny() -> None:
    person = Person(30)
    person.until("s: ")
    options = [line.strip() for line in person.screen.splitlines() if line.startswith("  ") and ") Deny" in line]
    person.types(f"{options[-1][0]}\r")
    person.until("user denied")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_a_terminal_question_ends_with_its_time() -> None:
    person = Person(1)
    person.until("denied in 1 s: ")
    person.until("outcome False timeout")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_a_terminal_that_is_interrupted_echoes_again() -> None:
    person = Person(30)
    person.until("s: ")
    person.types("\x03")
    person.until("KeyboardInterrupt")
    person.until("This question is over.")
    person.leaves_echo()
    person.leave()


@needs_terminals
def test_without_a_terminal_it_is_denied() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS, "30"],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=True,
    )
    assert "outcome False host the approval failed: there is no terminal to ask at" in done.stdout, done
