"""Whether a trio task is running."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["running_trio"]


def running_trio() -> Any:
    """The module trio when a trio task is running (in guest mode there may be an asyncio loop around it), else None."""
    trio = sys.modules.get("trio")
    if trio is None:
        return None
    try:
        # Not in_trio_task(), which older versions lack.
        trio.lowlevel.current_task()
    except RuntimeError:
        return None
    return trio
