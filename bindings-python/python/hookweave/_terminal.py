"""Asks a person at the terminal that the program was started from."""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import _either

if TYPE_CHECKING:
    from .approval import ApprovalRequest

__all__ = ["NoTerminal", "TerminalApprover"]

_TERMINAL = "/dev/tty"
_PAUSE = 0.1
"""Seconds between two looks at the clock and at whether anybody still waits."""
_MOST_DIGITS = 4
_REMEMBERED = {None: "the very same", "tool": "every call of this tool", "prompt": "whatever this question is about"}

_turn = threading.Lock()
"""There is one terminal: questions are asked one after the other."""
_asking: set[threading.Thread] = set()


class NoTerminal(Exception):
    """There is no terminal to ask at; what was asked is denied."""


class TerminalApprover:
    """Asks at the controlling terminal, on a thread, and shows how much time is left; without a terminal it denies."""

    __slots__ = ()

    async def __call__(self, request: ApprovalRequest) -> str:
        """Asks; a cancel, or the end of the time, takes the question away."""
        future: Future[str] = Future()
        threading.Thread(target=_run, args=(request, future), name="hookweave-approval", daemon=True).start()
        return await _either.wait(future)


@atexit.register
def _restore() -> None:
    """A program that ends while a question is on the screen must not leave the terminal without echo."""
    for thread in list(_asking):
        thread.join(1)


def _run(request: ApprovalRequest, future: Future[str]) -> None:
    thread = threading.current_thread()
    _asking.add(thread)
    try:
        _ask(request, future)
    finally:
        _asking.discard(thread)


def _ask(request: ApprovalRequest, future: Future[str]) -> None:
    deadline = time.monotonic() + request.timeout
    while not _turn.acquire(timeout=_PAUSE):
        if future.cancelled():
            return
    try:
        with _terminal() as descriptor:
            option = _Question(descriptor, request, future, deadline).ask()
    except BaseException as error:
        if future.set_running_or_notify_cancel():
            future.set_exception(error)
    else:
        if option is not None and future.set_running_or_notify_cancel():
            future.set_result(option)
    finally:
        _turn.release()


@contextmanager
def _terminal() -> Iterator[int]:
    """The terminal's descriptor, set to hand over every key as it is pressed."""
    if sys.platform == "win32":
        raise NoTerminal("hookweave asks at terminals of Unix only; give the session another approver")
    else:
        import termios

        try:
            descriptor = os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            raise NoTerminal(f"there is no terminal to ask at: {error.strerror}") from error
        try:
            if os.tcgetpgrp(descriptor) != os.getpgrp():
                raise NoTerminal("the program runs in the background of its terminal and cannot ask there")
            before = termios.tcgetattr(descriptor)
            keys = termios.tcgetattr(descriptor)
            # Ctrl-C still interrupts the program.
            keys[3] &= ~(termios.ICANON | termios.ECHO)
            try:
                # What was typed before the question was there is no answer to it.
                termios.tcsetattr(descriptor, termios.TCSAFLUSH, keys)
                yield descriptor
            finally:
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        except termios.error as error:
            raise NoTerminal(f"the terminal cannot be used: {error}") from error
        finally:
            os.close(descriptor)


class _Question:
    """One question on the screen."""

    def __init__(self, terminal: int, request: ApprovalRequest, future: Future[str], deadline: float) -> None:
        self._terminal = terminal
        self._request = request
        self._future = future
        self._deadline = deadline
        self._typed = ""

    def ask(self) -> str | None:
        """The option that was chosen; None when nobody waits for it any more."""
        self._write("\n" + "\n".join(_lines(self._request)) + "\n")
        shown = None
        while not self._future.cancelled():
            left = max(0, round(self._deadline - time.monotonic()))
            if (left, self._typed) != shown:
                shown = (left, self._typed)
                self._show(left)
            if not select.select([self._terminal], [], [], _PAUSE)[0]:
                continue
            pressed = os.read(self._terminal, 1)
            if pressed in (b"", b"\x04"):
                raise NoTerminal("the terminal was closed")
            if pressed in (b"\r", b"\n"):
                option = self._option()
                if option is not None:
                    self._write("\n")
                    return option
                self._typed = ""
            elif pressed in (b"\x7f", b"\x08"):
                self._typed = self._typed[:-1]
            elif pressed.isdigit() and len(self._typed) < _MOST_DIGITS:
                self._typed += pressed.decode()
        self._write("\nThis question is over.\n")
        return None

    def _option(self) -> str | None:
        options = self._request.options
        number = int(self._typed or "0")
        return options[number - 1] if 0 < number <= len(options) else None

    def _show(self, left: int) -> None:
        outcome = "allowed" if self._request.default == "allow" else "denied"
        count = len(self._request.options)
        self._write(f"\r\x1b[KNumber (1-{count}) and Enter; {outcome} in {left} s: {self._typed}")

    def _write(self, text: str) -> None:
        data = text.encode(errors="backslashreplace")
        while data:
            data = data[os.write(self._terminal, data) :]


def _lines(request: ApprovalRequest) -> list[str]:
    """The question; every line of a text that somebody else wrote is marked, so that none can pass for one of ours."""
    asker = "The host" if request.hook is None else f"Hook {_one_line(request.hook)}"
    about = f"tool {_one_line(request.tool)}" if request.tool else request.event
    lines = [f"{asker} asks about {about}:", *(f"  | {line}" for line in request.prompt.split("\n"))]
    if request.shown is not None:
        lines.append("with:" if request.tool else "which is about:")
        lines += (f"  | {line}" for line in request.shown.split("\n"))
    for number, option in enumerate(request.options, 1):
        wide = f" (from now on: {_REMEMBERED[request.remember]})" if option == "Allow always" else ""
        lines.append(f"  {number}) {_one_line(option)}{wide}")
    return lines


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")
