"""A question to a person, as approvers get it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, Self

from . import _native
from .errors import HookweaveError, PayloadError

__all__ = ["ApprovalPending", "ApprovalRequest", "CommandPart"]


@dataclass(frozen=True, slots=True)
class CommandPart:
    """A part of a command line. Its text is safe to be shown."""

    text: str
    met: bool
    """Whether it is for its sake that the hook looks at the line."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A question to a person. Its texts are safe to be shown: what a screen would obey is written out."""

    id: str
    """By which it is decided: a digest, the same for the same question of the same call in any process."""
    session_id: str
    agent_id: str | None
    event: str
    """The event that waits for the answer."""
    tool: str
    """The tool; empty when the question is not about one."""
    tool_use_id: str | None
    """The call's id; None when it is not about one."""
    args: Any
    """A copy of the arguments that will be used; None when it is not about a tool."""
    shown: str | None
    """What it is about as text: the arguments as JSON, or a prompt."""
    command: tuple[CommandPart, ...]
    """The command line of the call, in parts; empty when it has none."""
    hook: str | None
    """The hook that asks; None when it is the host's own rule."""
    why: str | None
    """The condition for which it asks: of the hook's matcher, or the host's; None when there is none."""
    reason: str | None
    """The reason of the hook's answer, where it is not the question itself."""
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

    def to_dict(self) -> dict[str, Any]:
        """The question as JSON has it, the same in every language; arguments without a JSON form are None."""
        own = {name: getattr(self, name) for name in _NAMES}
        own["args"] = None if self.args is None or _native.freeze(self.args)[1] is None else self.args
        own["options"], own["granting"] = list(self.options), list(self.granting)
        own["command"] = [asdict(part) for part in self.command]
        own["timeout_ms"] = round(own.pop("timeout") * 1000)
        return own

    @classmethod
    def from_dict(cls, question: Mapping[str, Any]) -> Self:
        """The question that :meth:`to_dict`, or its like in another language, has written."""
        own = dict(question)
        missing = [name for name in (*_NAMES, "timeout_ms") if name not in own and name != "timeout"]
        if missing:
            raise PayloadError(
                f"ApprovalRequest.from_dict: `{missing[0]}` is missing; give the whole dict that `to_dict` wrote"
            )
        own["timeout"] = own.pop("timeout_ms") / 1000
        own["options"], own["granting"] = tuple(own["options"]), tuple(own["granting"])
        own["command"] = tuple(CommandPart(part["text"], part["met"]) for part in own["command"])
        return cls(**{name: own[name] for name in _NAMES})


_NAMES = tuple(field.name for field in fields(ApprovalRequest))


class ApprovalPending(HookweaveError):
    """A tool call waits for a person's answer and was not made; ``request`` is the question. It can be pickled.

    Make the call again with ``answers={error.request.id: option}``.
    """

    codes: ClassVar[tuple[str, ...]] = ("approval_pending",)
    request: ApprovalRequest

    def __init__(self, message: str, code: str | None = None, request: ApprovalRequest | None = None) -> None:
        super().__init__(message, code)
        if request is not None:
            self.request = request

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.code, getattr(self, "request", None)))
