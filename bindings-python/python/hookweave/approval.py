"""Approvers: they answer when a tool call or a prompt needs a person's decision."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from . import _async_compat
from ._approval_request import ApprovalPending, ApprovalRequest, CommandPart
from ._terminal import NoTerminalError, TerminalApprover, TerminalQuestion
from .errors import InvalidOptionError, UnknownApprovalError

__all__ = [
    "AllowAll",
    "Answer",
    "Approval",
    "ApprovalPending",
    "ApprovalRequest",
    "Approver",
    "ApproverName",
    "CommandPart",
    "DenyAll",
    "NoTerminalError",
    "PendingApprovals",
    "TerminalApprover",
    "TerminalQuestion",
    "approver_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What an approver answers: an option, and what a person says or changes with it."""

    option: str = field(kw_only=False)
    reason: str | None = field(default=None, kw_only=False)
    """A sentence for the model, and for the record."""
    args: Mapping[str, Any] | None = None
    """The arguments that the tool is to be called with; hooks check them again."""


Answer: TypeAlias = str | Approval | Mapping[str, Any]
"""One of the options: alone, as an :class:`Approval`, or as a mapping of its fields."""

Approver: TypeAlias = Callable[[ApprovalRequest], Awaitable[Answer] | Answer]
"""Answers with one of the options, sync or async: alone, as an :class:`Approval`, or as a mapping of its fields.

Anything else is refused and logged, and so is an exception but :class:`Suspended`.
"""


def fields_of(approval: Approval) -> dict[str, Any]:
    """An answer as the core reads it."""
    return {"option": approval.option, "reason": approval.reason, "args": approval.args}


ApproverName: TypeAlias = Literal["deny", "allow", "terminal", "pending"]
"""A built-in approver by its name."""


class DenyAll:
    """Denies everything."""

    __slots__ = ()

    def __call__(self, request: ApprovalRequest) -> str:
        """Denies."""
        return "Deny"


class AllowAll:
    """Allows everything: for tests, and for sandboxes that bound the harm by other means."""

    __slots__ = ()

    def __call__(self, request: ApprovalRequest) -> str:
        """Chooses the first option that allows."""
        if not request.granting:
            raise LookupError("no option of the question allows")
        return request.granting[0]


class PendingApprovals:
    """Questions that wait to be decided from elsewhere: a web page, a chat, another thread.

    One queue may serve many sessions.
    """

    __slots__ = ("_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[ApprovalRequest, Future[Approval]]] = {}

    async def __call__(self, request: ApprovalRequest) -> Approval:
        """Waits for the decision."""
        future: Future[Approval] = Future()
        with self._lock:
            self._waiting[request.id] = (request, future)
        try:
            return await _async_compat.wait(future)
        finally:
            with self._lock:
                self._waiting.pop(request.id, None)

    def pending(self) -> list[ApprovalRequest]:
        """What waits, the oldest first."""
        with self._lock:
            return [request for request, _ in self._waiting.values()]

    def decide(self, id: str, option: str, *, reason: str | None = None, args: Mapping[str, Any] | None = None) -> None:
        """Decides a question by one of its options, from any task or thread.

        ``reason`` is a sentence for the model; ``args`` replace the arguments of the call, which hooks check again.
        """
        with self._lock:
            request, future = self._waiting.get(id, (None, None))
            if request is None or future is None:
                raise UnknownApprovalError(f"nothing waits for approval under `{id}`")
            if option not in request.options:
                raise UnknownApprovalError(f"`{option}` is no option; known are {', '.join(request.options)}")
            del self._waiting[id]
        try:
            future.set_result(Approval(option, reason=reason, args=args))
        except InvalidStateError:
            # The session has given up in this very moment.
            raise UnknownApprovalError(f"nothing waits for approval under `{id}`") from None


_BUILT_IN: dict[str, Callable[[], Approver]] = {
    "deny": DenyAll,
    "allow": AllowAll,
    "terminal": TerminalApprover,
    "pending": PendingApprovals,
}


def approver_of(approval: object) -> Approver:
    """The approver that is meant."""
    if isinstance(approval, str) and approval in _BUILT_IN:
        return _BUILT_IN[approval]()
    if callable(approval):
        return approval
    known = ", ".join(_BUILT_IN)
    raise InvalidOptionError(f"session: `approval` must be one of {known} or a function, is {approval!r}")
