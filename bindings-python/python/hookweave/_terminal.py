"""Asks a person at the terminal that the program was started from; what is shown and read is the engine's to say."""

from __future__ import annotations

import atexit
import threading
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

from . import _async_compat, _native
from ._approval_request import ApprovalRequest

__all__ = ["NoTerminalError", "TerminalApprover", "TerminalQuestion"]

_FIELDS = (
    *("event", "tool", "agent_id", "shown", "hook", "why", "reason", "prompt", "options", "granting", "default"),
    *("remember", "persistent"),
)
_USUAL_WIDTH = 80
_USUAL_HEIGHT = 24

_asking: dict[threading.Thread, _native.Asking] = {}


class NoTerminalError(Exception):
    """There is no terminal to ask at, or its input has ended; the question is denied."""


class TerminalQuestion:
    """A question as a person reads it at a terminal, and what a typed line answers.

    For approvers of your own that write to a screen and read lines: everything that others have written stands right
    of a bar, safe to be shown.
    """

    __slots__ = ("_question", "remark")

    remark: str
    """What to write after a line that was no answer, before the next one is read."""

    def __init__(self, request: ApprovalRequest, *, width: int = _USUAL_WIDTH, height: int = _USUAL_HEIGHT) -> None:
        self._question = _native.TerminalQuestion(_fields(request), width, height)
        self.remark = ""

    @property
    def text(self) -> str:
        """The question, as much of it as a screen of that height holds; all of it once ``?`` was typed."""
        return self._question.text

    def invitation(self, left: float) -> str:
        """What stands before the cursor, with the seconds that are left; always of the same width."""
        return self._question.invitation(max(0, round(left * 1000)))

    def read(self, line: str | None) -> str | None:
        """The option that a line chooses; None when it chooses none: write :attr:`remark` then, and read on.

        None as the line is the end of the input, and raises :class:`NoTerminalError`.
        """
        meaning, text = self._question.read(line)
        if meaning == "over":
            raise NoTerminalError(text)
        self.remark = text if meaning == "again" else ""
        return text if meaning == "chosen" else None


def _fields(request: ApprovalRequest) -> dict[str, Any]:
    command = [asdict(part) for part in request.command]
    return {"command": command, **{name: getattr(request, name) for name in _FIELDS}}


class TerminalApprover:
    """Asks at the controlling terminal, on a thread, and shows how much time is left; without a terminal it denies."""

    __slots__ = ()

    async def __call__(self, request: ApprovalRequest) -> str:
        """Asks; a cancel, or the end of the time, takes the question away."""
        asking = _native.Asking(_fields(request), request.timeout)
        future: Future[str] = Future()
        threading.Thread(target=_run, args=(asking, future), name="hookweave-approval", daemon=True).start()
        try:
            return await _async_compat.wait(future)
        finally:
            asking.cancel()


def _run(asking: _native.Asking, future: Future[str]) -> None:
    thread = threading.current_thread()
    _asking[thread] = asking
    try:
        option, why = asking.ask()
        if (option is None and why is None) or not future.set_running_or_notify_cancel():
            # The question was taken away.
            return
        if option is None:
            future.set_exception(NoTerminalError(why))
        else:
            future.set_result(option)
    finally:
        del _asking[thread]


@atexit.register
def _end() -> None:
    """A program that ends while a question is on the screen says that it is over."""
    for thread, asking in list(_asking.items()):
        asking.cancel()
        thread.join(1)
