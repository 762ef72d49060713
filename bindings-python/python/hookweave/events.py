"""The events of the catalogue, one class each.

generate.py writes this file from the engine's catalogue; change the catalogue, not this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ._native import Field
from .event import CallEvent, Event

if TYPE_CHECKING:
    from .record import _CallContext, _ModelRecord, _ToolRecord

__all__: list[str] = [
    "ConfigChangeEvent",
    "ContextWarningEvent",
    "CwdChangedEvent",
    "DirectoryAddedEvent",
    "ElicitationEvent",
    "ElicitationResultEvent",
    "FileChangedEvent",
    "FileSuggestionEvent",
    "GenerateEndEvent",
    "GenerateErrorEvent",
    "GenerateStartEvent",
    "InstructionsLoadedEvent",
    "MessageDisplayEvent",
    "NotificationEvent",
    "PermissionDeniedEvent",
    "PermissionGrantedEvent",
    "PermissionRequestEvent",
    "PostCompactEvent",
    "PostModelSwitchEvent",
    "PostToolBatchEvent",
    "PostToolUseEvent",
    "PostToolUseFailureEvent",
    "PostUserMessageEvent",
    "PreCompactEvent",
    "PreModelSwitchEvent",
    "PreToolUseEvent",
    "SessionEndEvent",
    "SessionStartEvent",
    "SetupEvent",
    "StatusLineEvent",
    "StopEvent",
    "StopFailureEvent",
    "SubagentStartEvent",
    "SubagentStopEvent",
    "TaskCompletedEvent",
    "TaskCreatedEvent",
    "TeammateIdleEvent",
    "ToolResolutionEvent",
    "UserPromptExpansionEvent",
    "UserPromptSubmitEvent",
    "WorktreeCreateEvent",
    "WorktreeRemoveEvent",
]


class SessionStartEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "SessionStart"

    source: Field[str] = Field("source")
    model: Field[Any] = Field("model")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            source: str = ...,
            model: Any = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class SessionEndEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "SessionEnd"

    reason: Field[str] = Field("reason")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            reason: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class UserPromptSubmitEvent(Event):
    """A gate: a block stops it. Hooks may modify prompt."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "UserPromptSubmit"

    prompt: Field[str] = Field("prompt")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            prompt: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostUserMessageEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostUserMessage"

    prompt: Field[str] = Field("prompt")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            prompt: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class GenerateStartEvent(Event):
    """A gate: a block stops it. Hooks may modify prompt, system_prompt, tools."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "GenerateStart"

    prompt: Field[str] = Field("prompt")
    system_prompt: Field[str | None] = Field("system_prompt")
    model: Field[Any] = Field("model")
    tools: Field[list[Any]] = Field("tools")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            prompt: str = ...,
            system_prompt: str | None = ...,
            model: Any = ...,
            tools: Sequence[Any] = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class GenerateEndEvent(Event):
    """An observation: a block is feedback. Hooks may modify response."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "GenerateEnd"

    prompt: Field[str] = Field("prompt")
    response: Field[_ModelRecord] = Field("response", True)
    model: Field[Any] = Field("model")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            prompt: str = ...,
            response: Mapping[str, Any] = ...,
            model: Any = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PreToolUseEvent(CallEvent):
    """A gate: a block stops it. Hooks may modify args."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PreToolUse"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    tool_use_id: Field[str] = Field("tool_use_id")
    context: Field[_CallContext | None] = Field("context", True)

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            tool_use_id: str = ...,
            context: Mapping[str, Any] | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostToolUseEvent(CallEvent):
    """An observation: a block is feedback. Hooks may modify result."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostToolUse"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    tool_use_id: Field[str] = Field("tool_use_id")
    result: Field[_ToolRecord] = Field("result", True)

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            tool_use_id: str = ...,
            result: Mapping[str, Any] = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostToolUseFailureEvent(CallEvent):
    """An observation: a block is feedback. Hooks may modify error."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostToolUseFailure"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    tool_use_id: Field[str] = Field("tool_use_id")
    error: Field[Any] = Field("error")
    duration: Field[float | None] = Field("duration")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            tool_use_id: str = ...,
            error: Any = ...,
            duration: float | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PermissionRequestEvent(CallEvent):
    """A gate: a block stops it. Hooks may modify args."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PermissionRequest"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    prompt: Field[str | None] = Field("prompt")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            prompt: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PermissionGrantedEvent(CallEvent):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PermissionGranted"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    by: Field[str | None] = Field("by")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            by: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PermissionDeniedEvent(CallEvent):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PermissionDenied"

    tool: Field[str] = Field("tool")
    args: Field[dict[str, Any]] = Field("args")
    reason: Field[str | None] = Field("reason")
    by: Field[str | None] = Field("by")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            args: Mapping[str, Any] = ...,
            reason: str | None = ...,
            by: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class SubagentStartEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "SubagentStart"

    agent_id: Field[str] = Field("agent_id")
    agent_type: Field[str] = Field("agent_type")
    parent_session_id: Field[str | None] = Field("parent_session_id")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            agent_id: str = ...,
            agent_type: str = ...,
            parent_session_id: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class SubagentStopEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "SubagentStop"

    agent_id: Field[str] = Field("agent_id")
    agent_type: Field[str] = Field("agent_type")
    parent_session_id: Field[str | None] = Field("parent_session_id")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            agent_id: str = ...,
            agent_type: str = ...,
            parent_session_id: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PreCompactEvent(Event):
    """A gate: a block stops it. Hooks may modify custom_instructions."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PreCompact"

    trigger: Field[str] = Field("trigger")
    custom_instructions: Field[str | None] = Field("custom_instructions")
    messages: Field[list[Any] | None] = Field("messages")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            trigger: str = ...,
            custom_instructions: str | None = ...,
            messages: Sequence[Any] | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostCompactEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostCompact"

    trigger: Field[str] = Field("trigger")
    summary: Field[str | None] = Field("summary")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            trigger: str = ...,
            summary: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class ContextWarningEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "ContextWarning"

    usage: Field[Any] = Field("usage", True)
    limit: Field[float] = Field("limit")
    ratio: Field[float | None] = Field("ratio")
    threshold: Field[float | None] = Field("threshold")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            usage: Any = ...,
            limit: float = ...,
            ratio: float | None = ...,
            threshold: float | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class NotificationEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "Notification"

    message: Field[str] = Field("message")
    title: Field[str | None] = Field("title")
    kind: Field[str | None] = Field("kind")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            message: str = ...,
            title: str | None = ...,
            kind: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class StopEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "Stop"

    last_message: Field[str | None] = Field("last_message")
    turn_count: Field[float | None] = Field("turn_count")
    duration: Field[float | None] = Field("duration")
    status: Field[str | None] = Field("status")
    changed_files: Field[list[Any] | None] = Field("changed_files")
    stop_hook_active: Field[bool | None] = Field("stop_hook_active")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            last_message: str | None = ...,
            turn_count: float | None = ...,
            duration: float | None = ...,
            status: str | None = ...,
            changed_files: Sequence[Any] | None = ...,
            stop_hook_active: bool | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class StopFailureEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "StopFailure"

    error: Field[Any] = Field("error")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            error: Any = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class ToolResolutionEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "ToolResolution"

    tool: Field[str] = Field("tool")
    candidates: Field[list[Any] | None] = Field("candidates")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool: str = ...,
            candidates: Sequence[Any] | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class GenerateErrorEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "GenerateError"

    error: Field[Any] = Field("error")
    model: Field[Any] = Field("model")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            error: Any = ...,
            model: Any = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class StatusLineEvent(Event):
    """An observation: a block is feedback. Hooks may modify text."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "StatusLine"

    text: Field[str | None] = Field("text")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            text: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class FileSuggestionEvent(Event):
    """An observation: a block is feedback. Hooks may modify suggestions."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "FileSuggestion"

    query: Field[str] = Field("query")
    suggestions: Field[list[Any] | None] = Field("suggestions")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            query: str = ...,
            suggestions: Sequence[Any] | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class SetupEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "Setup"

    trigger: Field[str] = Field("trigger")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            trigger: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class InstructionsLoadedEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "InstructionsLoaded"

    file_path: Field[str] = Field("file_path")
    memory_type: Field[str | None] = Field("memory_type")
    load_reason: Field[str | None] = Field("load_reason")
    globs: Field[list[Any] | None] = Field("globs")
    trigger_file_path: Field[str | None] = Field("trigger_file_path")
    parent_file_path: Field[str | None] = Field("parent_file_path")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            file_path: str = ...,
            memory_type: str | None = ...,
            load_reason: str | None = ...,
            globs: Sequence[Any] | None = ...,
            trigger_file_path: str | None = ...,
            parent_file_path: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class UserPromptExpansionEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "UserPromptExpansion"

    expansion_type: Field[str | None] = Field("expansion_type")
    command_name: Field[str] = Field("command_name")
    command_args: Field[str | None] = Field("command_args")
    command_source: Field[str | None] = Field("command_source")
    prompt: Field[str] = Field("prompt")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            expansion_type: str | None = ...,
            command_name: str = ...,
            command_args: str | None = ...,
            command_source: str | None = ...,
            prompt: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class MessageDisplayEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "MessageDisplay"

    turn_id: Field[str | None] = Field("turn_id")
    message_id: Field[str | None] = Field("message_id")
    index: Field[float | None] = Field("index")
    final: Field[bool | None] = Field("final")
    delta: Field[str | None] = Field("delta")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            turn_id: str | None = ...,
            message_id: str | None = ...,
            index: float | None = ...,
            final: bool | None = ...,
            delta: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostToolBatchEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostToolBatch"

    tool_calls: Field[list[Any]] = Field("tool_calls")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            tool_calls: Sequence[Any] = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class TaskCreatedEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "TaskCreated"

    task_id: Field[str] = Field("task_id")
    task_subject: Field[str] = Field("task_subject")
    task_description: Field[str | None] = Field("task_description")
    teammate_name: Field[str | None] = Field("teammate_name")
    team_name: Field[str | None] = Field("team_name")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            task_id: str = ...,
            task_subject: str = ...,
            task_description: str | None = ...,
            teammate_name: str | None = ...,
            team_name: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class TaskCompletedEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "TaskCompleted"

    task_id: Field[str] = Field("task_id")
    task_subject: Field[str] = Field("task_subject")
    task_description: Field[str | None] = Field("task_description")
    teammate_name: Field[str | None] = Field("teammate_name")
    team_name: Field[str | None] = Field("team_name")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            task_id: str = ...,
            task_subject: str = ...,
            task_description: str | None = ...,
            teammate_name: str | None = ...,
            team_name: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class TeammateIdleEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "TeammateIdle"

    teammate_name: Field[str] = Field("teammate_name")
    team_name: Field[str | None] = Field("team_name")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            teammate_name: str = ...,
            team_name: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PreModelSwitchEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PreModelSwitch"

    from_model: Field[Any] = Field("from_model")
    to_model: Field[Any] = Field("to_model")
    requested_model: Field[Any] = Field("requested_model")
    source: Field[str | None] = Field("source")
    context_tokens: Field[float | None] = Field("context_tokens")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            from_model: Any = ...,
            to_model: Any = ...,
            requested_model: Any = ...,
            source: str | None = ...,
            context_tokens: float | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class PostModelSwitchEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "PostModelSwitch"

    from_model: Field[Any] = Field("from_model")
    to_model: Field[Any] = Field("to_model")
    requested_model: Field[Any] = Field("requested_model")
    source: Field[str | None] = Field("source")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            from_model: Any = ...,
            to_model: Any = ...,
            requested_model: Any = ...,
            source: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class ConfigChangeEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "ConfigChange"

    source: Field[str] = Field("source")
    file_path: Field[str | None] = Field("file_path")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            source: str = ...,
            file_path: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class CwdChangedEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "CwdChanged"

    old_cwd: Field[str] = Field("old_cwd")
    new_cwd: Field[str] = Field("new_cwd")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            old_cwd: str = ...,
            new_cwd: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class DirectoryAddedEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "DirectoryAdded"

    directory: Field[str] = Field("directory")
    source: Field[str | None] = Field("source")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            directory: str = ...,
            source: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class FileChangedEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "FileChanged"

    file_path: Field[str] = Field("file_path")
    event: Field[str] = Field("event")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            file_path: str = ...,
            event: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class WorktreeCreateEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "WorktreeCreate"

    name: Field[str] = Field("name")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            name: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class WorktreeRemoveEvent(Event):
    """An observation: a block is feedback. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "WorktreeRemove"

    worktree_path: Field[str] = Field("worktree_path")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            worktree_path: str = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class ElicitationEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "Elicitation"

    mcp_server_name: Field[str] = Field("mcp_server_name")
    message: Field[str] = Field("message")
    mode: Field[str | None] = Field("mode")
    url: Field[str | None] = Field("url")
    elicitation_id: Field[str | None] = Field("elicitation_id")
    requested_schema: Field[dict[str, Any] | None] = Field("requested_schema")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            mcp_server_name: str = ...,
            message: str = ...,
            mode: str | None = ...,
            url: str | None = ...,
            elicitation_id: str | None = ...,
            requested_schema: Mapping[str, Any] | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...


class ElicitationResultEvent(Event):
    """A gate: a block stops it. Hooks may modify nothing."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "ElicitationResult"

    mcp_server_name: Field[str] = Field("mcp_server_name")
    action: Field[str] = Field("action")
    content: Field[dict[str, Any] | None] = Field("content")
    mode: Field[str | None] = Field("mode")
    elicitation_id: Field[str | None] = Field("elicitation_id")

    if TYPE_CHECKING:
        __getattr__: ClassVar[None]  # type: ignore[assignment, misc]

        def __new__(
            cls,
            *,
            mcp_server_name: str = ...,
            action: str = ...,
            content: Mapping[str, Any] | None = ...,
            mode: str | None = ...,
            elicitation_id: str | None = ...,
            session_id: str = ...,
            timestamp: float = ...,
            cwd: str | None = ...,
            agent_id: str | None = ...,
            metadata: Mapping[str, Any] | None = ...,
            shared: Mapping[str, Any] | None = ...,
            **fields: Any,
        ) -> Self: ...
