"""What hooks and tools of Amplifier answer."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from ..._logging import logger

__all__ = ["Action", "ContextInjection", "HookResult", "Role", "ToolResult"]

Action: TypeAlias = Literal["continue", "deny", "modify", "inject_context", "ask_user"]
Role: TypeAlias = Literal["system", "user", "assistant"]
Parts: TypeAlias = tuple[tuple[str, "dict[str, Any]"], ...]
"""The result of each hook of an emission, with its name, in the order in which they ran."""


@dataclass(kw_only=True)
class ContextInjection:
    """One text for the model, and which hook it comes from."""

    content: str
    role: Role = "system"
    ephemeral: bool = False
    append_to_last_tool_result: bool = False
    hook_name: str = "unknown"
    event: str = ""


@dataclass(kw_only=True)
class HookResult:
    """What a hook answers, or what all hooks of an emission answer together.

    It is read, strictly, when a hook returns it: an action that does not exist is an invalid answer. Names that a
    result does not have are passed over with a warning, as modules were written for several versions of it.
    """

    action: Action = "continue"
    data: dict[str, Any] | None = None
    """With ``modify``: what stands in place of the event's data. Of an emission: the data as hooks left it."""
    reason: str | None = None
    context_injection: str | None = None
    context_injection_role: Role = "system"
    ephemeral: bool = False
    approval_prompt: str | None = None
    approval_options: list[str] | None = None
    approval_timeout: float = 300.0
    """Seconds."""
    approval_default: Literal["allow", "deny"] = "deny"
    suppress_output: bool = False
    user_message: str | None = None
    user_message_level: Literal["info", "warning", "error"] = "info"
    user_message_source: str | None = None
    append_to_last_tool_result: bool = False
    context_injections: list[ContextInjection] = field(default_factory=list)
    """Of an emission: each text for the model by itself."""

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            for known in dataclasses.fields(self):
                default = known.default if known.default is not dataclasses.MISSING else known.default_factory()
                setattr(self, known.name, given.pop(known.name, default))
            if given:
                logger.warning("a HookResult has no %s; skipped", ", ".join(sorted(given)))

    def __setattr__(self, name: str, value: object) -> None:
        # It no longer is what the hooks answered.
        self.__dict__.pop("_parts", None)
        object.__setattr__(self, name, value)

    def model_dump(self) -> dict[str, Any]:
        """The fields as plain containers."""
        return dataclasses.asdict(self)

    def model_dump_json(self) -> str:
        """The fields as JSON text; what JSON lacks is text in it."""
        return json.dumps(self.model_dump(), default=str)

    def model_copy(self, *, update: dict[str, Any] | None = None) -> Self:
        """The same result with some fields replaced."""
        return dataclasses.replace(self, **(update or {}))


def with_parts(result: HookResult, parts: Parts) -> HookResult:
    """Notes on a result the answer of each hook, so that a coordinator can act on all of it."""
    result.__dict__["_parts"] = parts
    return result


def parts_of(result: HookResult, hook_name: str) -> Parts:
    """The answer of each hook; a result that no emission gave is the answer of one hook."""
    parts: Parts | None = result.__dict__.get("_parts")
    return ((hook_name, {**vars(result)}),) if parts is None else parts


@dataclass(kw_only=True)
class ToolResult:
    """What came of a tool."""

    success: bool = True
    output: Any = None
    error: Any = None
