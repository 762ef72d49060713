"""Who is asked for approval, in Amplifier's words."""

from __future__ import annotations

from typing import Literal, Protocol

__all__ = ["ApprovalSystem", "ApprovalTimeout", "ApprovalTimeoutError"]


class ApprovalTimeoutError(Exception):
    """There was no answer in time; the question's default holds."""


ApprovalTimeout = ApprovalTimeoutError


class ApprovalSystem(Protocol):
    """Asks a person."""

    async def request_approval(
        self, prompt: str, options: list[str], timeout: float, default: Literal["allow", "deny"]
    ) -> str:
        """Answers with one of the options, or raises :class:`ApprovalTimeoutError` after ``timeout`` seconds."""
        ...
