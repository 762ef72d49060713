"""Where the user reads what hooks and sessions have to say."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Protocol

from ._logging import logger
from .response import Level

__all__ = ["Display", "LogDisplay"]

_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Display(Protocol):
    """Shows texts to the user."""

    def show_message(self, text: str, level: Level, source: str, /) -> Awaitable[None] | None:
        """Shows a text, sync or async; the source is a hook's name, or ``hookweave``."""
        ...


class LogDisplay:
    """Shows messages in the log; what a session does that was given no other."""

    __slots__ = ()

    def show_message(self, text: str, level: Level, source: str, /) -> None:
        """Logs the text under its level."""
        logger.log(_LEVELS[level], "%s: %s", source, text, extra={"source": source})
