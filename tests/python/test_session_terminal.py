"""A person at a terminal: what is shown, what is typed, and what is left behind."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from support import LIMIT

ASKS = """
import asyncio, signal, sys
from hookweave import HookClient, HookResponse

client = HookClient(default_timeout=600)
client.register_hook(
    "PreToolUse",
    lambda event: HookResponse.ask("really\\x1b[2K\\u202e?\\n  1) Deny", timeout=float(sys.argv[1]), remember="tool"),
    name="gu\\x1bard",
)

async def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    print("before", flush=True)
    if sys.argv[2] == "waits":
        signal.sigwait({signal.SIGUSR1})
    session = client.session(approval="terminal")
    outcome = await session.run_tool("Bash", {"command": "ls \\x1b]0;x\\x07"}, lambda args: "ran it")
    print("outcome", outcome.ran, outcome.by, outcome.reason)

asyncio.run(main())
"""

INVITES = r"\? for all; denied in"

# More than any test takes.
LONG = 600


class Person:
    """A program at a terminal of its own, and who sits before it."""

    def __init__(self, timeout: float = LONG, then: str = "asks") -> None:
        import pty

        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # A shell that runs the tests in the background may ignore it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, [sys.executable, "-c", ASKS, str(timeout), then])
        self.screen = ""

    def until(self, text: str) -> None:
        """Reads until a pattern is on the screen."""
        deadline = time.monotonic() + LIMIT
        while re.search(text, self.screen) is None:
            assert time.monotonic() < deadline, self.screen
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self.terminal, 4096).decode()
                except OSError:
                    # Linux says so when the program has ended.
                    assert re.search(text, self.screen), self.screen
                    return

    def types(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def is_usual(self) -> bool:
        """Whether the terminal echoes, hands over lines and interrupts, as a shell has left it."""
        import termios

        usual = termios.ECHO | termios.ICANON | termios.ISIG
        return termios.tcgetattr(self.terminal)[3] & usual == usual

    def leave(self) -> None:
        os.waitpid(self.process, 0)
        os.close(self.terminal)


needs_terminals = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")


@needs_terminals
def test_a_terminal_asks_and_shows_what_it_would_obey() -> None:
    person = Person()
    person.until(rf"{INVITES} +\d+ s: ")
    # Nothing has to be put back, even if the program is killed now.
    assert person.is_usual()
    person.types("7\r")
    person.until("There is no such number: they go from 1 to 3.")
    person.types("x2\x7f\x7f1\r")
    person.until("outcome True None None")
    person.leave()
    question = re.split(INVITES, person.screen)[0]
    for text in (
        "    hook | gu\\u{1b}ard\r\n",
        "question | really\\u{1b}[2K\\u{202e}?\r\n",
        # A line that looks like an option of ours stands right of the bar.
        "         |   1) Deny\r\n",
        " command | ls \\u{1b}]0;x\\u{7}\r\n",
        " 1 allow | Allow once\r\n",
        "         * and from now on every such question about this tool\r\n",
    ):
        assert text in question, (text, question)
    assert "\x1b" not in question and "\u202e" not in question and "\x07" not in question


@needs_terminals
def test_a_terminal_may_deny() -> None:
    person = Person()
    person.until(INVITES)
    person.types("deny\r")
    person.until("user denied")
    assert person.is_usual()
    person.leave()


@needs_terminals
def test_a_terminal_question_ends_with_its_time() -> None:
    person = Person(1.5)
    person.until(rf"{INVITES} +\d+ s: ")
    person.until("This question is over.")
    person.until("outcome False timeout")
    assert person.is_usual()
    person.leave()


@needs_terminals
def test_a_terminal_that_is_interrupted_takes_the_question_away() -> None:
    person = Person()
    person.until(INVITES)
    person.types("\x03")
    person.until("KeyboardInterrupt")
    person.until("This question is over.")
    assert person.is_usual()
    person.leave()


@needs_terminals
def test_the_end_of_the_input_denies() -> None:
    person = Person()
    person.until(INVITES)
    person.types("\x04")
    person.until("outcome False host the approval failed: the terminal's input ended before there was an answer")
    person.leave()


@needs_terminals
@pytest.mark.parametrize("ahead", ["1\r", "1\r" * 50, "1"])
def test_what_was_typed_before_the_question_is_no_answer(ahead: str) -> None:
    person = Person(then="waits")
    person.until("before")
    person.types(ahead)
    # It is there when the terminal has echoed it.
    person.until(ahead.replace("\r", "\r\n"))
    os.kill(person.process, signal.SIGUSR1)
    person.until(INVITES)
    # A beginning that was typed ahead is forgotten too.
    person.types("\r")
    person.until("Type a number from 1 to 3")
    person.types("3\r")
    person.until("outcome False user")
    person.leave()


@needs_terminals
def test_lines_that_are_pasted_choose_nothing() -> None:
    person = Person()
    person.until(INVITES)
    person.types("hello\r1\r2\r")
    person.until("Several lines came at once.")
    person.types("3\r")
    person.until("outcome False user")
    person.leave()


@needs_terminals
def test_without_a_terminal_it_is_denied() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKS, "600", "asks"],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=LIMIT,
        check=True,
    )
    assert "outcome False host the approval failed: there is no terminal to ask at" in done.stdout, done
