"""What both ends of a connection want of a transport: it carries bytes, and knows nothing of what they mean."""

from __future__ import annotations

from typing import Any, Protocol

from .errors import InvalidOptionError

__all__ = [
    "LAST_WORDS",
    "MAX_UNWRITTEN",
    "Agent",
    "CallRefusedError",
    "Link",
    "Listener",
    "Receiver",
    "Transport",
    "refused",
]

LAST_WORDS = 5.0
"""How long the last messages of a connection may take, in seconds."""

MAX_UNWRITTEN = 64 * 1024 * 1024
"""Bytes that wait to be written; a side that does not read them is lost."""


def refused(address: str, why: object) -> InvalidOptionError:
    """Says that an address cannot be used."""
    return InvalidOptionError(f"the address `{address}` cannot be used: {why}")


class Link(Protocol):
    """An open connection."""

    def send(self, message: bytes) -> bool:
        """Sends a message; False where the other side does not read."""
        ...

    def end(self) -> None:
        """Reads no more, and closes when all is written."""
        ...

    async def ended(self) -> None:
        """Waits until it is closed."""
        ...


class Receiver(Protocol):
    """Who is told what comes over a connection; never after :meth:`Link.end`."""

    def message(self, message: bytes) -> None:
        """A message came."""
        ...

    def unreadable(self, why: str) -> None:
        """The stream cannot be read any further."""
        ...

    def lost(self, why: str) -> None:
        """The connection ended."""
        ...


class Agent(Protocol):
    """Who takes connections; ``peer`` names the other side of a transport on which it can make calls too."""

    def accept(self, link: Link, peer: str | None) -> Receiver:
        """A connection was made."""
        ...

    async def ask(self, peer: str, token: str | None, method: str, request: bytes) -> bytes:
        """Answers a call; :class:`CallRefusedError` where it cannot."""
        ...


class CallRefusedError(Exception):
    """Why a call has no answer."""


class Listener(Protocol):
    """An address that takes connections."""

    @property
    def address(self) -> str:
        """The address."""
        ...

    def close(self) -> Any:
        """Takes no more connections; those that are open stay."""
        ...

    async def closed(self) -> None:
        """Waits until all is cleared away; connections are ended before."""
        ...


class Transport(Protocol):
    """A way to an address."""

    async def connect(self, receiver: Receiver) -> Link:
        """Connects; :class:`OSError` where that fails."""
        ...

    async def listen(self, agent: Agent) -> Listener:
        """Takes connections; :class:`OSError` where the address cannot be used."""
        ...
