"""Where the user reads what hooks have to say, in Amplifier's words."""

from __future__ import annotations

from typing import Any, Literal, Protocol

__all__ = ["DisplaySystem"]


class DisplaySystem(Protocol):
    """Shows messages to the user."""

    def show_message(self, message: str, level: Literal["info", "warning", "error"], source: str = "hook") -> Any:
        """Shows a message, sync or async; the source is ``hook:`` with the hook's name, or ``hookweave``."""
        ...
