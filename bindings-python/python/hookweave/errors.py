"""What can go wrong: one base class, one stable ``code`` per cause."""

from __future__ import annotations

from typing import ClassVar, Literal

__all__ = [
    "AuditError",
    "AwaitableInSyncDispatchError",
    "ClientClosedError",
    "ConfigError",
    "FailureKind",
    "HandlerError",
    "HookCancelledError",
    "HookFailedError",
    "HookLimitError",
    "HookTimeoutError",
    "HookweaveError",
    "InvalidAnswerError",
    "InvalidDefinitionError",
    "InvalidHookError",
    "InvalidMatcherError",
    "InvalidOptionError",
    "NestingError",
    "NoModelError",
    "NotPicklableError",
    "PayloadError",
    "SessionClosedError",
    "SubagentBlockedError",
    "Suspended",
    "ToolFailedError",
    "UnknownApprovalError",
    "UnknownEventError",
    "UnknownHookError",
    "UnknownToolError",
    "UnsupportedInterpreterError",
    "UntrustedHookError",
    "WireEventError",
]

FailureKind = Literal[
    "raised", "timeout", "invalid_answer", "cancelled", "not_started", "detached_limit", "exited", "lost", "unreachable"
]


class HookweaveError(Exception):
    """Base of everything that hookweave raises; ``code`` is the same in every language."""

    codes: ClassVar[tuple[str, ...]] = ("hookweave",)
    code: str

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.codes[0]


class UnknownEventError(HookweaveError, LookupError):
    """The event name is neither known, nor defined, nor custom by its colon."""

    codes: ClassVar[tuple[str, ...]] = ("unknown_event",)


class InvalidDefinitionError(HookweaveError, ValueError):
    """A custom event or tool was defined wrongly."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_event_definition", "invalid_tool_definition")


class InvalidMatcherError(HookweaveError, ValueError):
    """A matcher is malformed, or can never apply to the hook's event."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_matcher", "matcher_not_applicable")


class InvalidHookError(HookweaveError, ValueError):
    """A hook's settings are wrong or contradict each other."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_hook",)


class HandlerError(InvalidHookError, TypeError):
    """A handler cannot be called, or not with one argument."""

    codes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message, code or "invalid_hook")


class InvalidOptionError(HookweaveError, ValueError):
    """A setting of the client is unknown or wrong."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_option", "unknown_profile", "unknown_dialect")


class ConfigError(HookweaveError, ValueError):
    """A configuration file cannot be read, or holds an entry that makes no sense."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_config",)


class UntrustedHookError(HookweaveError, PermissionError):
    """A hook from a project's files has not been approved, or has changed since."""

    codes: ClassVar[tuple[str, ...]] = ("untrusted_hook",)


class WireEventError(HookweaveError, ValueError):
    """What an agent sent to its hook is not an event of that agent."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_wire_event",)


class HookLimitError(HookweaveError):
    """One more hook would exceed ``max_hooks_per_event`` or ``max_total_hooks``."""

    codes: ClassVar[tuple[str, ...]] = ("too_many_hooks",)


class UnknownHookError(HookweaveError, LookupError):
    """No hook has this id."""

    codes: ClassVar[tuple[str, ...]] = ("unknown_hook",)


class NestingError(HookweaveError, RuntimeError):
    """Dispatches were nested too deep: a hook dispatches the event that it handles."""

    codes: ClassVar[tuple[str, ...]] = ("nested_too_deep",)


class PayloadError(HookweaveError, ValueError):
    """A payload is no mapping, nests too deep, is too large, or has no JSON form where one is needed."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_payload", "payload_too_deep", "payload_too_large", "payload_not_json")


class AwaitableInSyncDispatchError(HookweaveError, TypeError):
    """``dispatch_sync`` met a hook that has to be awaited; use ``await client.dispatch(…)``."""

    codes: ClassVar[tuple[str, ...]] = ("awaitable_in_sync_dispatch",)


class ClientClosedError(HookweaveError, RuntimeError):
    """The client was closed and dispatches no more."""

    codes: ClassVar[tuple[str, ...]] = ("client_closed",)


class SessionClosedError(HookweaveError, RuntimeError):
    """The session has ended, or the subagent ended with its session."""

    codes: ClassVar[tuple[str, ...]] = ("session_closed",)


class SubagentBlockedError(HookweaveError):
    """A hook refused to let a subagent begin; ``reason`` is its reason."""

    codes: ClassVar[tuple[str, ...]] = ("subagent_blocked",)

    def __init__(self, message: str, code: str | None = None, reason: str | None = None) -> None:
        super().__init__(message, code)
        self.reason = reason


class UnknownToolError(HookweaveError, LookupError):
    """No tool is registered under the name."""

    codes: ClassVar[tuple[str, ...]] = ("unknown_tool",)


class NoModelError(HookweaveError, LookupError):
    """No model is registered."""

    codes: ClassVar[tuple[str, ...]] = ("no_model",)


class UnknownApprovalError(HookweaveError, LookupError):
    """Nothing waits for approval under the id, or the option is none of the question's."""

    codes: ClassVar[tuple[str, ...]] = ("unknown_approval",)


class Suspended(Exception):  # noqa: N818 - it is no error: the answer comes later
    """Raised by an approver whose answer comes later: ``run_tool`` ends with :class:`ApprovalPending`."""


class ToolFailedError(HookweaveError):
    """A tool failed; found at ``outcome.error``, never raised at the agent. ``__cause__`` is what the tool raised."""

    codes: ClassVar[tuple[str, ...]] = ("tool_failed",)


class AuditError(HookweaveError, OSError):
    """An audit log cannot be opened, written, read or verified."""

    codes: ClassVar[tuple[str, ...]] = ("audit_failed",)


class NotPicklableError(HookweaveError, TypeError):
    """The object is bound to its process."""

    codes: ClassVar[tuple[str, ...]] = ("not_picklable",)


class UnsupportedInterpreterError(HookweaveError, ImportError):
    """hookweave was imported in a sub-interpreter."""

    codes: ClassVar[tuple[str, ...]] = ("unsupported_interpreter",)


class HookFailedError(HookweaveError):
    """A hook failed; found at ``outcome.trace[i].failure.error``, never raised at the agent.

    ``code`` is the failure's kind, ``hook`` the hook's name, ``__cause__`` what the handler raised.
    """

    codes: ClassVar[tuple[str, ...]] = ("raised", "not_started", "detached_limit", "exited", "lost", "unreachable")

    def __init__(self, message: str, code: str | None = None, hook: str | None = None) -> None:
        super().__init__(message, code)
        self.hook = hook


class HookTimeoutError(HookFailedError, TimeoutError):
    """A hook did not finish in time."""

    codes: ClassVar[tuple[str, ...]] = ("timeout",)


class HookCancelledError(HookFailedError):
    """A hook was cancelled though its dispatch was not."""

    codes: ClassVar[tuple[str, ...]] = ("cancelled",)


class InvalidAnswerError(HookFailedError):
    """A hook answered something that is no answer."""

    codes: ClassVar[tuple[str, ...]] = ("invalid_answer",)


def _by_code(base: type[HookweaveError]) -> dict[str, type[HookweaveError]]:
    found = dict.fromkeys(base.codes, base)
    for child in base.__subclasses__():
        found |= _by_code(child)
    return found


CLASSES = _by_code(HookweaveError)


def error_of(code: str, message: str) -> HookweaveError:
    """The exception that stands for a code of the core."""
    return CLASSES.get(code, HookweaveError)(message, code)


def failure_of(kind: str, message: str, hook: str, cause: object) -> HookFailedError:
    """The exception that stands for a hook's failure, with what the handler raised as its cause."""
    chosen = CLASSES.get(kind, HookFailedError)
    error = (chosen if issubclass(chosen, HookFailedError) else HookFailedError)(message, kind, hook)
    if isinstance(cause, BaseException):
        error.__cause__ = cause
    return error
