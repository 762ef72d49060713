"""What one hook says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from datetime import timedelta

    from .modified import Modified

__all__ = ["Action", "Ask", "HookResponse", "Inject", "Level", "Role", "Show"]

Action: TypeAlias = Literal["continue", "allow", "ask", "block", "retry", "skip", "stop"]
Role: TypeAlias = Literal["system", "user", "assistant"]
Level: TypeAlias = Literal["info", "warning", "error"]
Inject: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
"""Context for the model: a text, ``{"content", "role", "ephemeral"}``, or several of them."""
Show: TypeAlias = str | Mapping[str, Any]
"""A message for the user: a text, or ``{"text", "level"}``."""
Ask: TypeAlias = str | Mapping[str, Any]
"""A question for the user: a prompt, or ``{"prompt", "options", "timeout_ms", "default"}``."""


class HookResponse:
    """An answer in the canonical form; immutable, and checked by the engine when a hook returns it.

    Parts compose: one answer may modify, inject, show a message and ask at once. A hook may as well return the same
    thing as a plain ``dict`` (see :meth:`to_dict`), or nothing.
    """

    __slots__ = ("_answer",)
    _answer: dict[str, Any]

    def __init__(
        self,
        action: Action = "continue",
        *,
        reason: str | None = None,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        ask: Ask | None = None,
        delay: float | timedelta | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        parts = {
            "reason": reason,
            "modified": modified,
            "inject": inject,
            "message": message,
            "ask": {"prompt": ask} if isinstance(ask, str) else ask,
            "delay": delay,
            "suppress_output": suppress_output,
            "share": share,
            "ext": ext,
        }
        answer = {"action": action} | {name: part for name, part in parts.items() if part is not None}
        object.__setattr__(self, "_answer", answer)

    @classmethod
    def continue_(
        cls,
        *,
        reason: str | None = None,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """No objection; ``modified`` replaces the named fields of the event."""
        return cls(
            "continue",
            reason=reason,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def allow(
        cls,
        reason: str | None = None,
        *,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Permits the event as this hook saw it, with its own ``modified``."""
        return cls(
            "allow",
            reason=reason,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def ask(
        cls,
        prompt: str | None = None,
        *,
        reason: str | None = None,
        options: Sequence[str] | None = None,
        grants: Sequence[str] | None = None,
        timeout: float | timedelta | None = None,
        default: Literal["allow", "deny"] | None = None,
        remember: Literal["tool", "prompt"] | None = None,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Wants a person to decide; ``timeout`` is how long to wait for one, in seconds or as a timedelta.

        ``grants`` are those of the options that allow, beside "Allow once" and "Allow always".
        """
        parts = {
            "prompt": prompt,
            "options": options,
            "grants": grants,
            "timeout": timeout,
            "default": default,
            "remember": remember,
        }
        question = {name: part for name, part in parts.items() if part is not None}
        return cls(
            "ask",
            reason=reason,
            ask=question or None,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def block(
        cls,
        reason: str | None = None,
        *,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Forbids the event; ``reason`` goes to the model."""
        return cls(
            "block",
            reason=reason,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def retry(
        cls,
        reason: str | None = None,
        *,
        delay: float | timedelta | None = None,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Asks for another attempt after ``delay``, in seconds or as a timedelta."""
        return cls(
            "retry",
            reason=reason,
            delay=delay,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def skip(
        cls,
        reason: str | None = None,
        *,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Passes over the later hooks of this hook's own scope, mandatory ones excepted."""
        return cls(
            "skip",
            reason=reason,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    @classmethod
    def stop(
        cls,
        reason: str | None = None,
        *,
        modified: Modified | Mapping[str, Any] | None = None,
        inject: Inject | None = None,
        message: Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> HookResponse:
        """Forbids the event and asks the host to end the agent's turn."""
        return cls(
            "stop",
            reason=reason,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )

    def inject(self, content: str, *, role: Role = "system", ephemeral: bool = False) -> HookResponse:
        """The same answer with one more text for the model."""
        given = self._answer.get("inject")
        before = [] if given is None else [given] if isinstance(given, str | Mapping) else list(given)
        return self._with("inject", [*before, {"content": content, "role": role, "ephemeral": ephemeral}])

    def message(self, text: str, level: Level = "info") -> HookResponse:
        """The same answer with this message for the user."""
        return self._with("message", {"text": text, "level": level})

    def to_dict(self) -> dict[str, Any]:
        """The answer as a plain ``dict``, which a hook may return instead."""
        return dict(self._answer)

    def _with(self, part: str, value: object) -> HookResponse:
        changed = object.__new__(type(self))
        object.__setattr__(changed, "_answer", {**self._answer, part: value})
        return changed

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a HookResponse is immutable: pass `{name}` when making it, or chain .inject()/.message()"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a HookResponse is immutable: `{name}` cannot be removed")

    def __eq__(self, other: object) -> bool:
        return self._answer == other._answer if isinstance(other, HookResponse) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._answer["action"], self._answer.get("reason")))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={part!r}" for name, part in self._answer.items() if name != "action")
        return f"HookResponse({self._answer['action']!r}{', ' if parts else ''}{parts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self._answer,))


def _rebuild(answer: dict[str, Any]) -> HookResponse:
    """Makes a response from its dict; pickle's way back."""
    response = object.__new__(HookResponse)
    object.__setattr__(response, "_answer", answer)
    return response
