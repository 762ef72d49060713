"""Says, while suites run, which ones are running, how far they are and for how long."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Self, TextIO

from results import LIBTEST_SUMMARY

# How often a line is written: in place for a person, one below the other for a log.
PERSON_SECONDS, LOG_SECONDS = 1.0, 60.0
# A suite that hangs must fail the run, not stall it: no single step takes as long, however busy the machine is.
SILENCE_SECONDS = 1_800
# pytest says a share; Node and the tools of this folder write a line a test.
SHARE = re.compile(r"\[ *(\d+)%\]$")
ONE_TEST = re.compile(r"^\s*(?:✔|✖|ok |FAILED )")


class Watched:
    """A suite that is running."""

    def __init__(self, name: str, kill: Callable[[], None]) -> None:
        self.name = name
        self.kill = kill
        self.began = self.last = time.monotonic()
        self.tests = 0
        self.share = ""
        self.silent = False

    def saw(self, line: str) -> str:
        """Takes a line of its output, and gives it back."""
        self.last = time.monotonic()
        text = line.rstrip()
        if share := SHARE.search(text):
            self.share = f"{share[1]} %"
        elif summary := LIBTEST_SUMMARY.match(text):
            self.tests += int(summary["passed"])
        elif ONE_TEST.match(text):
            self.tests += 1
        return line

    def shown(self, now: float) -> str:
        """Its name, how far it is, and for how long it has run."""
        far = self.share or (f"{self.tests} tests" if self.tests else "")
        return " ".join(part for part in (self.name, far, clock(now - self.began)) if part)


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Progress:
    """The line that says what is running; ends suites that are silent for too long."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._person = out.isatty()
        self._running: list[Watched] = []
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.print("")

    def print(self, text: str) -> None:
        """Prints a text of its own lines."""
        with self._lock:
            self._out.write(f"\r\x1b[2K{text}" if self._person else text)
            self._out.flush()

    @contextmanager
    def watch(self, name: str, kill: Callable[[], None] = lambda: None) -> Iterator[Watched]:
        """Counts something as running; `kill` ends it if it is silent for too long."""
        watched = Watched(name, kill)
        self._running.append(watched)
        try:
            yield watched
        finally:
            self._running.remove(watched)

    @contextmanager
    def timed(self, seconds: MutableMapping[str, float], name: str) -> Iterator[None]:
        """Notes how long something takes, and says so when it ends."""
        began = time.monotonic()
        yield
        seconds[name] = time.monotonic() - began
        self.print(f"{clock(time.monotonic() - self._began):>6}  {name}: {seconds[name]:.1f} s\n")

    def _tick(self) -> None:
        while not self._over.wait(PERSON_SECONDS if self._person else LOG_SECONDS):
            now = time.monotonic()
            running = list(self._running)
            for watched in running:
                if now - watched.last > SILENCE_SECONDS:
                    watched.silent = True
                    watched.kill()
            line = f"{clock(now - self._began):>6}  {', '.join(watched.shown(now) for watched in running)}"
            self.print(line[:120] if self._person else f"{line}\n")
