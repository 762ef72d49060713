# The client's methods, one overload per event, so that a handler must fit the event it is registered for.
# generate.py writes this file from the engine's catalogue; change the catalogue, not this.

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, overload

from typing_extensions import Unpack

from . import events
from ._native import Dispatch, Outcome
from .event import Event, EventName
from .response import HookResponse
from .temporary_hook import TemporaryHook

E = TypeVar("E", bound=Event)
EventIn = TypeVar("EventIn", bound=Event, contravariant=True)
Answer: TypeAlias = HookResponse | Mapping[str, Any] | None
R = TypeVar("R", bound=Answer | Awaitable[Answer])
Handler: TypeAlias = Callable[[E], Answer | Awaitable[Answer]]

class HookOptions(TypedDict, total=False):
    matcher: Mapping[str, Any] | None
    name: str | None
    priority: int
    scope: Literal["managed", "user", "project", "local", "agent", "callback"]
    timeout: float | timedelta | None
    fail_behavior: Literal["continue", "block"] | None
    once: bool
    mandatory: bool | None
    detached: bool
    async_: bool
    enabled: bool
    run_in_thread: bool

class Registers(Protocol[E]):
    def __call__(self, handler: Callable[[E], R], /) -> Callable[[E], R]: ...

class TypedClient:
    @overload
    def hook(self, event: Literal["SessionStart", "session:start", "session_start"], /, **options: Unpack[HookOptions]) -> Registers[events.SessionStartEvent]: ...
    @overload
    def hook(self, event: Literal["SessionEnd", "session:end", "session_end"], /, **options: Unpack[HookOptions]) -> Registers[events.SessionEndEvent]: ...
    @overload
    def hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], /, **options: Unpack[HookOptions]) -> Registers[events.UserPromptSubmitEvent]: ...
    @overload
    def hook(self, event: Literal["PostUserMessage"], /, **options: Unpack[HookOptions]) -> Registers[events.PostUserMessageEvent]: ...
    @overload
    def hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], /, **options: Unpack[HookOptions]) -> Registers[events.GenerateStartEvent]: ...
    @overload
    def hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], /, **options: Unpack[HookOptions]) -> Registers[events.GenerateEndEvent]: ...
    @overload
    def hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], /, **options: Unpack[HookOptions]) -> Registers[events.PreToolUseEvent]: ...
    @overload
    def hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], /, **options: Unpack[HookOptions]) -> Registers[events.PostToolUseEvent]: ...
    @overload
    def hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], /, **options: Unpack[HookOptions]) -> Registers[events.PostToolUseFailureEvent]: ...
    @overload
    def hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], /, **options: Unpack[HookOptions]) -> Registers[events.PermissionRequestEvent]: ...
    @overload
    def hook(self, event: Literal["PermissionGranted"], /, **options: Unpack[HookOptions]) -> Registers[events.PermissionGrantedEvent]: ...
    @overload
    def hook(self, event: Literal["PermissionDenied"], /, **options: Unpack[HookOptions]) -> Registers[events.PermissionDeniedEvent]: ...
    @overload
    def hook(self, event: Literal["SubagentStart", "subagentStart"], /, **options: Unpack[HookOptions]) -> Registers[events.SubagentStartEvent]: ...
    @overload
    def hook(self, event: Literal["SubagentStop", "subagentStop"], /, **options: Unpack[HookOptions]) -> Registers[events.SubagentStopEvent]: ...
    @overload
    def hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact"], /, **options: Unpack[HookOptions]) -> Registers[events.PreCompactEvent]: ...
    @overload
    def hook(self, event: Literal["PostCompact", "context:post_compact"], /, **options: Unpack[HookOptions]) -> Registers[events.PostCompactEvent]: ...
    @overload
    def hook(self, event: Literal["ContextWarning"], /, **options: Unpack[HookOptions]) -> Registers[events.ContextWarningEvent]: ...
    @overload
    def hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], /, **options: Unpack[HookOptions]) -> Registers[events.NotificationEvent]: ...
    @overload
    def hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete"], /, **options: Unpack[HookOptions]) -> Registers[events.StopEvent]: ...
    @overload
    def hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], /, **options: Unpack[HookOptions]) -> Registers[events.StopFailureEvent]: ...
    @overload
    def hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], /, **options: Unpack[HookOptions]) -> Registers[events.ToolResolutionEvent]: ...
    @overload
    def hook(self, event: Literal["GenerateError", "error:provider"], /, **options: Unpack[HookOptions]) -> Registers[events.GenerateErrorEvent]: ...
    @overload
    def hook(self, event: Literal["StatusLine"], /, **options: Unpack[HookOptions]) -> Registers[events.StatusLineEvent]: ...
    @overload
    def hook(self, event: Literal["FileSuggestion"], /, **options: Unpack[HookOptions]) -> Registers[events.FileSuggestionEvent]: ...
    @overload
    def hook(self, event: Literal["Setup"], /, **options: Unpack[HookOptions]) -> Registers[events.SetupEvent]: ...
    @overload
    def hook(self, event: Literal["InstructionsLoaded"], /, **options: Unpack[HookOptions]) -> Registers[events.InstructionsLoadedEvent]: ...
    @overload
    def hook(self, event: Literal["UserPromptExpansion"], /, **options: Unpack[HookOptions]) -> Registers[events.UserPromptExpansionEvent]: ...
    @overload
    def hook(self, event: Literal["MessageDisplay"], /, **options: Unpack[HookOptions]) -> Registers[events.MessageDisplayEvent]: ...
    @overload
    def hook(self, event: Literal["PostToolBatch"], /, **options: Unpack[HookOptions]) -> Registers[events.PostToolBatchEvent]: ...
    @overload
    def hook(self, event: Literal["TaskCreated"], /, **options: Unpack[HookOptions]) -> Registers[events.TaskCreatedEvent]: ...
    @overload
    def hook(self, event: Literal["TaskCompleted"], /, **options: Unpack[HookOptions]) -> Registers[events.TaskCompletedEvent]: ...
    @overload
    def hook(self, event: Literal["TeammateIdle"], /, **options: Unpack[HookOptions]) -> Registers[events.TeammateIdleEvent]: ...
    @overload
    def hook(self, event: Literal["PreModelSwitch"], /, **options: Unpack[HookOptions]) -> Registers[events.PreModelSwitchEvent]: ...
    @overload
    def hook(self, event: Literal["PostModelSwitch"], /, **options: Unpack[HookOptions]) -> Registers[events.PostModelSwitchEvent]: ...
    @overload
    def hook(self, event: Literal["ConfigChange"], /, **options: Unpack[HookOptions]) -> Registers[events.ConfigChangeEvent]: ...
    @overload
    def hook(self, event: Literal["CwdChanged"], /, **options: Unpack[HookOptions]) -> Registers[events.CwdChangedEvent]: ...
    @overload
    def hook(self, event: Literal["DirectoryAdded"], /, **options: Unpack[HookOptions]) -> Registers[events.DirectoryAddedEvent]: ...
    @overload
    def hook(self, event: Literal["FileChanged"], /, **options: Unpack[HookOptions]) -> Registers[events.FileChangedEvent]: ...
    @overload
    def hook(self, event: Literal["WorktreeCreate"], /, **options: Unpack[HookOptions]) -> Registers[events.WorktreeCreateEvent]: ...
    @overload
    def hook(self, event: Literal["WorktreeRemove"], /, **options: Unpack[HookOptions]) -> Registers[events.WorktreeRemoveEvent]: ...
    @overload
    def hook(self, event: Literal["Elicitation"], /, **options: Unpack[HookOptions]) -> Registers[events.ElicitationEvent]: ...
    @overload
    def hook(self, event: Literal["ElicitationResult"], /, **options: Unpack[HookOptions]) -> Registers[events.ElicitationResultEvent]: ...
    @overload
    def hook(self, event: EventName, /, **options: Unpack[HookOptions]) -> Registers[Event]: ...
    @overload
    def register_hook(self, event: Literal["SessionStart", "session:start", "session_start"], handler: Handler[events.SessionStartEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["SessionEnd", "session:end", "session_end"], handler: Handler[events.SessionEndEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], handler: Handler[events.UserPromptSubmitEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostUserMessage"], handler: Handler[events.PostUserMessageEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], handler: Handler[events.GenerateStartEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], handler: Handler[events.GenerateEndEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], handler: Handler[events.PreToolUseEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], handler: Handler[events.PostToolUseEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], handler: Handler[events.PostToolUseFailureEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], handler: Handler[events.PermissionRequestEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PermissionGranted"], handler: Handler[events.PermissionGrantedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PermissionDenied"], handler: Handler[events.PermissionDeniedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["SubagentStart", "subagentStart"], handler: Handler[events.SubagentStartEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["SubagentStop", "subagentStop"], handler: Handler[events.SubagentStopEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact"], handler: Handler[events.PreCompactEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostCompact", "context:post_compact"], handler: Handler[events.PostCompactEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["ContextWarning"], handler: Handler[events.ContextWarningEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], handler: Handler[events.NotificationEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete"], handler: Handler[events.StopEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], handler: Handler[events.StopFailureEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], handler: Handler[events.ToolResolutionEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["GenerateError", "error:provider"], handler: Handler[events.GenerateErrorEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["StatusLine"], handler: Handler[events.StatusLineEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["FileSuggestion"], handler: Handler[events.FileSuggestionEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["Setup"], handler: Handler[events.SetupEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["InstructionsLoaded"], handler: Handler[events.InstructionsLoadedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["UserPromptExpansion"], handler: Handler[events.UserPromptExpansionEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["MessageDisplay"], handler: Handler[events.MessageDisplayEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostToolBatch"], handler: Handler[events.PostToolBatchEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["TaskCreated"], handler: Handler[events.TaskCreatedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["TaskCompleted"], handler: Handler[events.TaskCompletedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["TeammateIdle"], handler: Handler[events.TeammateIdleEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PreModelSwitch"], handler: Handler[events.PreModelSwitchEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["PostModelSwitch"], handler: Handler[events.PostModelSwitchEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["ConfigChange"], handler: Handler[events.ConfigChangeEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["CwdChanged"], handler: Handler[events.CwdChangedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["DirectoryAdded"], handler: Handler[events.DirectoryAddedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["FileChanged"], handler: Handler[events.FileChangedEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["WorktreeCreate"], handler: Handler[events.WorktreeCreateEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["WorktreeRemove"], handler: Handler[events.WorktreeRemoveEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["Elicitation"], handler: Handler[events.ElicitationEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: Literal["ElicitationResult"], handler: Handler[events.ElicitationResultEvent], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def register_hook(self, event: EventName, handler: Handler[Event], /, **options: Unpack[HookOptions]) -> str: ...
    @overload
    def temporary_hook(self, event: Literal["SessionStart", "session:start", "session_start"], handler: Handler[events.SessionStartEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["SessionEnd", "session:end", "session_end"], handler: Handler[events.SessionEndEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], handler: Handler[events.UserPromptSubmitEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostUserMessage"], handler: Handler[events.PostUserMessageEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], handler: Handler[events.GenerateStartEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], handler: Handler[events.GenerateEndEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], handler: Handler[events.PreToolUseEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], handler: Handler[events.PostToolUseEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], handler: Handler[events.PostToolUseFailureEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], handler: Handler[events.PermissionRequestEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PermissionGranted"], handler: Handler[events.PermissionGrantedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PermissionDenied"], handler: Handler[events.PermissionDeniedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["SubagentStart", "subagentStart"], handler: Handler[events.SubagentStartEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["SubagentStop", "subagentStop"], handler: Handler[events.SubagentStopEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact"], handler: Handler[events.PreCompactEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostCompact", "context:post_compact"], handler: Handler[events.PostCompactEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["ContextWarning"], handler: Handler[events.ContextWarningEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], handler: Handler[events.NotificationEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete"], handler: Handler[events.StopEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], handler: Handler[events.StopFailureEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], handler: Handler[events.ToolResolutionEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["GenerateError", "error:provider"], handler: Handler[events.GenerateErrorEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["StatusLine"], handler: Handler[events.StatusLineEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["FileSuggestion"], handler: Handler[events.FileSuggestionEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["Setup"], handler: Handler[events.SetupEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["InstructionsLoaded"], handler: Handler[events.InstructionsLoadedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["UserPromptExpansion"], handler: Handler[events.UserPromptExpansionEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["MessageDisplay"], handler: Handler[events.MessageDisplayEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostToolBatch"], handler: Handler[events.PostToolBatchEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["TaskCreated"], handler: Handler[events.TaskCreatedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["TaskCompleted"], handler: Handler[events.TaskCompletedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["TeammateIdle"], handler: Handler[events.TeammateIdleEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PreModelSwitch"], handler: Handler[events.PreModelSwitchEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["PostModelSwitch"], handler: Handler[events.PostModelSwitchEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["ConfigChange"], handler: Handler[events.ConfigChangeEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["CwdChanged"], handler: Handler[events.CwdChangedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["DirectoryAdded"], handler: Handler[events.DirectoryAddedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["FileChanged"], handler: Handler[events.FileChangedEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["WorktreeCreate"], handler: Handler[events.WorktreeCreateEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["WorktreeRemove"], handler: Handler[events.WorktreeRemoveEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["Elicitation"], handler: Handler[events.ElicitationEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: Literal["ElicitationResult"], handler: Handler[events.ElicitationResultEvent], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def temporary_hook(self, event: EventName, handler: Handler[Event], /, **options: Unpack[HookOptions]) -> TemporaryHook: ...
    @overload
    def dispatch(
        self,
        event_: Literal["SessionStart", "session:start", "session_start"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.SessionStartEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["SessionEnd", "session:end", "session_end"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        reason: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.SessionEndEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        prompt: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.UserPromptSubmitEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostUserMessage"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        prompt: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.PostUserMessageEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.GenerateStartEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.GenerateEndEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PreToolUseEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PostToolUseEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PostToolUseFailureEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PermissionRequest", "permissionRequest", "permission_request"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PermissionRequestEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PermissionGranted"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PermissionGrantedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PermissionDenied"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PermissionDeniedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["SubagentStart", "subagentStart"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.SubagentStartEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["SubagentStop", "subagentStop"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.SubagentStopEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PreCompactEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostCompact", "context:post_compact"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PostCompactEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["ContextWarning"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.ContextWarningEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["Notification", "NotificationEvent", "user:notification"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.NotificationEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.StopEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["StopFailure", "errorOccurred", "error:orchestrator"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        error: Any = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.StopFailureEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.ToolResolutionEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["GenerateError", "error:provider"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.GenerateErrorEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["StatusLine"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        text: str | None = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.StatusLineEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["FileSuggestion"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.FileSuggestionEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["Setup"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        trigger: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.SetupEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["InstructionsLoaded"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.InstructionsLoadedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["UserPromptExpansion"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.UserPromptExpansionEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["MessageDisplay"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.MessageDisplayEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostToolBatch"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        tool_calls: Sequence[Any] = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.PostToolBatchEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["TaskCreated"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.TaskCreatedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["TaskCompleted"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.TaskCompletedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["TeammateIdle"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.TeammateIdleEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PreModelSwitch"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PreModelSwitchEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["PostModelSwitch"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.PostModelSwitchEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["ConfigChange"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.ConfigChangeEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["CwdChanged"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.CwdChangedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["DirectoryAdded"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.DirectoryAddedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["FileChanged"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.FileChangedEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["WorktreeCreate"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        name: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.WorktreeCreateEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["WorktreeRemove"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        worktree_path: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Dispatch[Outcome[events.WorktreeRemoveEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["Elicitation"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.ElicitationEvent]]: ...
    @overload
    def dispatch(
        self,
        event_: Literal["ElicitationResult"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Dispatch[Outcome[events.ElicitationResultEvent]]: ...
    @overload
    def dispatch(self, event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any) -> Dispatch[Outcome[Event]]: ...
    @overload
    def dispatch(self, event_: E, /) -> Dispatch[Outcome[E]]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["SessionStart", "session:start", "session_start"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.SessionStartEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["SessionEnd", "session:end", "session_end"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        reason: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.SessionEndEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        prompt: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.UserPromptSubmitEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostUserMessage"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        prompt: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.PostUserMessageEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.GenerateStartEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.GenerateEndEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PreToolUseEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PostToolUseEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PostToolUseFailureEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PermissionRequest", "permissionRequest", "permission_request"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PermissionRequestEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PermissionGranted"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PermissionGrantedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PermissionDenied"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PermissionDeniedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["SubagentStart", "subagentStart"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.SubagentStartEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["SubagentStop", "subagentStop"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.SubagentStopEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PreCompactEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostCompact", "context:post_compact"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PostCompactEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["ContextWarning"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.ContextWarningEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["Notification", "NotificationEvent", "user:notification"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.NotificationEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.StopEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["StopFailure", "errorOccurred", "error:orchestrator"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        error: Any = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.StopFailureEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.ToolResolutionEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["GenerateError", "error:provider"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.GenerateErrorEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["StatusLine"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        text: str | None = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.StatusLineEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["FileSuggestion"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.FileSuggestionEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["Setup"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        trigger: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.SetupEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["InstructionsLoaded"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.InstructionsLoadedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["UserPromptExpansion"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.UserPromptExpansionEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["MessageDisplay"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.MessageDisplayEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostToolBatch"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        tool_calls: Sequence[Any] = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.PostToolBatchEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["TaskCreated"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.TaskCreatedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["TaskCompleted"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.TaskCompletedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["TeammateIdle"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.TeammateIdleEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PreModelSwitch"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PreModelSwitchEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostModelSwitch"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.PostModelSwitchEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["ConfigChange"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.ConfigChangeEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["CwdChanged"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.CwdChangedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["DirectoryAdded"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.DirectoryAddedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["FileChanged"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.FileChangedEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["WorktreeCreate"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        name: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.WorktreeCreateEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["WorktreeRemove"],
        payload_: Mapping[str, Any] = ...,
        /,
        *,
        worktree_path: str = ...,
        session_id: str = ...,
        timestamp: float = ...,
        cwd: str | None = ...,
        agent_id: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        shared: Mapping[str, Any] | None = ...,
        **fields: Any,
    ) -> Outcome[events.WorktreeRemoveEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["Elicitation"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.ElicitationEvent]: ...
    @overload
    def dispatch_sync(
        self,
        event_: Literal["ElicitationResult"],
        payload_: Mapping[str, Any] = ...,
        /,
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
    ) -> Outcome[events.ElicitationResultEvent]: ...
    @overload
    def dispatch_sync(self, event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any) -> Outcome[Event]: ...
    @overload
    def dispatch_sync(self, event_: E, /) -> Outcome[E]: ...
