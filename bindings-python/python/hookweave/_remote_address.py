"""Where agents are reached, and the settings that both ends have in common."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InvalidOptionError

if TYPE_CHECKING:
    from ._remote_links import Transport

__all__ = ["milliseconds", "number", "refused", "transport_to"]

MOST = 2**32 - 1


def refused(address: str, why: object) -> InvalidOptionError:
    """Says that an address cannot be used."""
    return InvalidOptionError(f"the address `{address}` cannot be used: {why}")


def transport_to(address: str, max_message: int) -> Transport:
    """The way to an address: ``unix:///path``."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise refused(address, "it is served on an asyncio loop; call this where one runs") from None
    scheme, _, rest = address.partition("://")
    if scheme == "unix" and rest.startswith("/"):
        if sys.platform == "win32":
            raise refused(address, "this system has no Unix sockets")
        from ._remote_unix import UnixTransport

        return UnixTransport(Path(rest), max_message)
    raise refused(address, "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`")


def number(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number within bounds."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise InvalidOptionError(f"{name} is a whole number from {least} to {most}, not {value!r}")


def milliseconds(name: str, value: Any) -> int:
    """Seconds, or a timedelta, in milliseconds."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0.001 <= seconds < MOST / 1000:
        return round(seconds * 1000)
    raise InvalidOptionError(f"{name} is a number of seconds from 0.001 on, not {value!r}")
