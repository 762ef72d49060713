"""A question to a person, as approvers get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ApprovalRequest"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A question to a person. Its texts are safe to be shown: what a screen would obey is written out."""

    id: str
    """By which a pending question is decided."""
    session_id: str
    agent_id: str | None
    event: str
    """The event that waits for the answer."""
    tool: str
    """The tool; empty when the question is not about one."""
    args: Any
    """A copy of the arguments that will be used; None when it is not about a tool."""
    shown: str | None
    """What it is about as text: the arguments as JSON, or a prompt."""
    hook: str | None
    """The hook that asks; None when it is the host's own rule."""
    prompt: str
    options: tuple[str, ...]
    granting: tuple[str, ...]
    """Those of the options that allow."""
    timeout: float
    """Seconds to answer."""
    default: Literal["allow", "deny"]
    """What happens without an answer in time."""
    remember: Literal["tool", "prompt"] | None
    """How widely "Allow always" holds beyond the very same arguments."""
    persistent: bool = False
    """Whether "Allow always" holds in later sessions too."""
