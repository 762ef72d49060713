# The client's methods, one overload per event, so that a handler must fit the event it is registered for.
# generate.py writes this file from the engine's catalogue; change the catalogue, not this.

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, overload

from . import events
from ._native import Dispatch, Outcome
from .event import Event, EventName
from .options import Duration, FailBehavior, Matcher, Scope
from .response import HookResponse
from .temporary_hook import TemporaryHook

__all__ = ["TypedClient"]

E = TypeVar("E", bound=Event)
Answer: TypeAlias = HookResponse | Mapping[str, Any] | None
R = TypeVar("R", bound=Answer | Awaitable[Answer])
Result: TypeAlias = Answer | Awaitable[Answer]
Handler: TypeAlias = Callable[[E], Result]

# mypy alone takes this for true. Of a method with overloads it shows all for each mistake, but it also
# chooses overloads by the type of `self` alone; other type checkers find no mistake that way.
MYPY: bool

class Registers(Protocol[E]):
    def __call__(self, handler: Callable[[E], R], /) -> Callable[[E], R]: ...

if MYPY:
    Named: TypeAlias = (
        Literal["SessionStart", "session:start", "session_start"] | type[events.SessionStartEvent]
        | Literal["SessionEnd", "session:end", "session_end"] | type[events.SessionEndEvent]
        | Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"] | type[events.UserPromptSubmitEvent]
        | Literal["PostUserMessage"] | type[events.PostUserMessageEvent]
        | Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"] | type[events.GenerateStartEvent]
        | Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"] | type[events.GenerateEndEvent]
        | Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"] | type[events.PreToolUseEvent]
        | Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"] | type[events.PostToolUseEvent]
        | Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"] | type[events.PostToolUseFailureEvent]
        | Literal["PermissionRequest", "permissionRequest", "permission_request"] | type[events.PermissionRequestEvent]
        | Literal["PermissionGranted"] | type[events.PermissionGrantedEvent]
        | Literal["PermissionDenied"] | type[events.PermissionDeniedEvent]
        | Literal["SubagentStart", "subagentStart"] | type[events.SubagentStartEvent]
        | Literal["SubagentStop", "subagentStop"] | type[events.SubagentStopEvent]
        | Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"] | type[events.PreCompactEvent]
        | Literal["PostCompact", "context:post_compact", "post_compact"] | type[events.PostCompactEvent]
        | Literal["ContextWarning"] | type[events.ContextWarningEvent]
        | Literal["Notification", "NotificationEvent", "user:notification"] | type[events.NotificationEvent]
        | Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"] | type[events.StopEvent]
        | Literal["StopFailure", "errorOccurred", "error:orchestrator"] | type[events.StopFailureEvent]
        | Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"] | type[events.ToolResolutionEvent]
        | Literal["GenerateError", "error:provider"] | type[events.GenerateErrorEvent]
        | Literal["StatusLine"] | type[events.StatusLineEvent]
        | Literal["FileSuggestion"] | type[events.FileSuggestionEvent]
        | Literal["Setup"] | type[events.SetupEvent]
        | Literal["InstructionsLoaded"] | type[events.InstructionsLoadedEvent]
        | Literal["UserPromptExpansion"] | type[events.UserPromptExpansionEvent]
        | Literal["MessageDisplay"] | type[events.MessageDisplayEvent]
        | Literal["PostToolBatch"] | type[events.PostToolBatchEvent]
        | Literal["TaskCreated"] | type[events.TaskCreatedEvent]
        | Literal["TaskCompleted"] | type[events.TaskCompletedEvent]
        | Literal["TeammateIdle"] | type[events.TeammateIdleEvent]
        | Literal["PreModelSwitch"] | type[events.PreModelSwitchEvent]
        | Literal["PostModelSwitch"] | type[events.PostModelSwitchEvent]
        | Literal["ConfigChange"] | type[events.ConfigChangeEvent]
        | Literal["CwdChanged"] | type[events.CwdChangedEvent]
        | Literal["DirectoryAdded"] | type[events.DirectoryAddedEvent]
        | Literal["FileChanged"] | type[events.FileChangedEvent]
        | Literal["WorktreeCreate"] | type[events.WorktreeCreateEvent]
        | Literal["WorktreeRemove"] | type[events.WorktreeRemoveEvent]
        | Literal["Elicitation"] | type[events.ElicitationEvent]
        | Literal["ElicitationResult"] | type[events.ElicitationResultEvent]
        | EventName
    )
    N = TypeVar("N", bound=Named)
    N_co = TypeVar("N_co", bound=Named, covariant=True)
    class HandlerOf(Protocol[N_co]):
        @overload
        def __call__(self: HandlerOf[Literal["SessionStart", "session:start", "session_start"] | type[events.SessionStartEvent]], event: events.SessionStartEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["SessionEnd", "session:end", "session_end"] | type[events.SessionEndEvent]], event: events.SessionEndEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"] | type[events.UserPromptSubmitEvent]], event: events.UserPromptSubmitEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostUserMessage"] | type[events.PostUserMessageEvent]], event: events.PostUserMessageEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"] | type[events.GenerateStartEvent]], event: events.GenerateStartEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"] | type[events.GenerateEndEvent]], event: events.GenerateEndEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"] | type[events.PreToolUseEvent]], event: events.PreToolUseEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"] | type[events.PostToolUseEvent]], event: events.PostToolUseEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"] | type[events.PostToolUseFailureEvent]], event: events.PostToolUseFailureEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PermissionRequest", "permissionRequest", "permission_request"] | type[events.PermissionRequestEvent]], event: events.PermissionRequestEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PermissionGranted"] | type[events.PermissionGrantedEvent]], event: events.PermissionGrantedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PermissionDenied"] | type[events.PermissionDeniedEvent]], event: events.PermissionDeniedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["SubagentStart", "subagentStart"] | type[events.SubagentStartEvent]], event: events.SubagentStartEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["SubagentStop", "subagentStop"] | type[events.SubagentStopEvent]], event: events.SubagentStopEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"] | type[events.PreCompactEvent]], event: events.PreCompactEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostCompact", "context:post_compact", "post_compact"] | type[events.PostCompactEvent]], event: events.PostCompactEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["ContextWarning"] | type[events.ContextWarningEvent]], event: events.ContextWarningEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["Notification", "NotificationEvent", "user:notification"] | type[events.NotificationEvent]], event: events.NotificationEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"] | type[events.StopEvent]], event: events.StopEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["StopFailure", "errorOccurred", "error:orchestrator"] | type[events.StopFailureEvent]], event: events.StopFailureEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"] | type[events.ToolResolutionEvent]], event: events.ToolResolutionEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["GenerateError", "error:provider"] | type[events.GenerateErrorEvent]], event: events.GenerateErrorEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["StatusLine"] | type[events.StatusLineEvent]], event: events.StatusLineEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["FileSuggestion"] | type[events.FileSuggestionEvent]], event: events.FileSuggestionEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["Setup"] | type[events.SetupEvent]], event: events.SetupEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["InstructionsLoaded"] | type[events.InstructionsLoadedEvent]], event: events.InstructionsLoadedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["UserPromptExpansion"] | type[events.UserPromptExpansionEvent]], event: events.UserPromptExpansionEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["MessageDisplay"] | type[events.MessageDisplayEvent]], event: events.MessageDisplayEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostToolBatch"] | type[events.PostToolBatchEvent]], event: events.PostToolBatchEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["TaskCreated"] | type[events.TaskCreatedEvent]], event: events.TaskCreatedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["TaskCompleted"] | type[events.TaskCompletedEvent]], event: events.TaskCompletedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["TeammateIdle"] | type[events.TeammateIdleEvent]], event: events.TeammateIdleEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PreModelSwitch"] | type[events.PreModelSwitchEvent]], event: events.PreModelSwitchEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["PostModelSwitch"] | type[events.PostModelSwitchEvent]], event: events.PostModelSwitchEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["ConfigChange"] | type[events.ConfigChangeEvent]], event: events.ConfigChangeEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["CwdChanged"] | type[events.CwdChangedEvent]], event: events.CwdChangedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["DirectoryAdded"] | type[events.DirectoryAddedEvent]], event: events.DirectoryAddedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["FileChanged"] | type[events.FileChangedEvent]], event: events.FileChangedEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["WorktreeCreate"] | type[events.WorktreeCreateEvent]], event: events.WorktreeCreateEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["WorktreeRemove"] | type[events.WorktreeRemoveEvent]], event: events.WorktreeRemoveEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["Elicitation"] | type[events.ElicitationEvent]], event: events.ElicitationEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[Literal["ElicitationResult"] | type[events.ElicitationResultEvent]], event: events.ElicitationResultEvent, /) -> Result: ...
        @overload
        def __call__(self: HandlerOf[EventName], event: Event, /) -> Result: ...
    class RegistersOf(Protocol[N_co]):
        @overload
        def __call__(self: RegistersOf[EventName], handler: Callable[[Event], R], /) -> Callable[[Event], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["ElicitationResult"] | type[events.ElicitationResultEvent]], handler: Callable[[events.ElicitationResultEvent], R], /) -> Callable[[events.ElicitationResultEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["Elicitation"] | type[events.ElicitationEvent]], handler: Callable[[events.ElicitationEvent], R], /) -> Callable[[events.ElicitationEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["WorktreeRemove"] | type[events.WorktreeRemoveEvent]], handler: Callable[[events.WorktreeRemoveEvent], R], /) -> Callable[[events.WorktreeRemoveEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["WorktreeCreate"] | type[events.WorktreeCreateEvent]], handler: Callable[[events.WorktreeCreateEvent], R], /) -> Callable[[events.WorktreeCreateEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["FileChanged"] | type[events.FileChangedEvent]], handler: Callable[[events.FileChangedEvent], R], /) -> Callable[[events.FileChangedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["DirectoryAdded"] | type[events.DirectoryAddedEvent]], handler: Callable[[events.DirectoryAddedEvent], R], /) -> Callable[[events.DirectoryAddedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["CwdChanged"] | type[events.CwdChangedEvent]], handler: Callable[[events.CwdChangedEvent], R], /) -> Callable[[events.CwdChangedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["ConfigChange"] | type[events.ConfigChangeEvent]], handler: Callable[[events.ConfigChangeEvent], R], /) -> Callable[[events.ConfigChangeEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostModelSwitch"] | type[events.PostModelSwitchEvent]], handler: Callable[[events.PostModelSwitchEvent], R], /) -> Callable[[events.PostModelSwitchEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PreModelSwitch"] | type[events.PreModelSwitchEvent]], handler: Callable[[events.PreModelSwitchEvent], R], /) -> Callable[[events.PreModelSwitchEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["TeammateIdle"] | type[events.TeammateIdleEvent]], handler: Callable[[events.TeammateIdleEvent], R], /) -> Callable[[events.TeammateIdleEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["TaskCompleted"] | type[events.TaskCompletedEvent]], handler: Callable[[events.TaskCompletedEvent], R], /) -> Callable[[events.TaskCompletedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["TaskCreated"] | type[events.TaskCreatedEvent]], handler: Callable[[events.TaskCreatedEvent], R], /) -> Callable[[events.TaskCreatedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostToolBatch"] | type[events.PostToolBatchEvent]], handler: Callable[[events.PostToolBatchEvent], R], /) -> Callable[[events.PostToolBatchEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["MessageDisplay"] | type[events.MessageDisplayEvent]], handler: Callable[[events.MessageDisplayEvent], R], /) -> Callable[[events.MessageDisplayEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["UserPromptExpansion"] | type[events.UserPromptExpansionEvent]], handler: Callable[[events.UserPromptExpansionEvent], R], /) -> Callable[[events.UserPromptExpansionEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["InstructionsLoaded"] | type[events.InstructionsLoadedEvent]], handler: Callable[[events.InstructionsLoadedEvent], R], /) -> Callable[[events.InstructionsLoadedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["Setup"] | type[events.SetupEvent]], handler: Callable[[events.SetupEvent], R], /) -> Callable[[events.SetupEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["FileSuggestion"] | type[events.FileSuggestionEvent]], handler: Callable[[events.FileSuggestionEvent], R], /) -> Callable[[events.FileSuggestionEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["StatusLine"] | type[events.StatusLineEvent]], handler: Callable[[events.StatusLineEvent], R], /) -> Callable[[events.StatusLineEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["GenerateError", "error:provider"] | type[events.GenerateErrorEvent]], handler: Callable[[events.GenerateErrorEvent], R], /) -> Callable[[events.GenerateErrorEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"] | type[events.ToolResolutionEvent]], handler: Callable[[events.ToolResolutionEvent], R], /) -> Callable[[events.ToolResolutionEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["StopFailure", "errorOccurred", "error:orchestrator"] | type[events.StopFailureEvent]], handler: Callable[[events.StopFailureEvent], R], /) -> Callable[[events.StopFailureEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"] | type[events.StopEvent]], handler: Callable[[events.StopEvent], R], /) -> Callable[[events.StopEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["Notification", "NotificationEvent", "user:notification"] | type[events.NotificationEvent]], handler: Callable[[events.NotificationEvent], R], /) -> Callable[[events.NotificationEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["ContextWarning"] | type[events.ContextWarningEvent]], handler: Callable[[events.ContextWarningEvent], R], /) -> Callable[[events.ContextWarningEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostCompact", "context:post_compact", "post_compact"] | type[events.PostCompactEvent]], handler: Callable[[events.PostCompactEvent], R], /) -> Callable[[events.PostCompactEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"] | type[events.PreCompactEvent]], handler: Callable[[events.PreCompactEvent], R], /) -> Callable[[events.PreCompactEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["SubagentStop", "subagentStop"] | type[events.SubagentStopEvent]], handler: Callable[[events.SubagentStopEvent], R], /) -> Callable[[events.SubagentStopEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["SubagentStart", "subagentStart"] | type[events.SubagentStartEvent]], handler: Callable[[events.SubagentStartEvent], R], /) -> Callable[[events.SubagentStartEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PermissionDenied"] | type[events.PermissionDeniedEvent]], handler: Callable[[events.PermissionDeniedEvent], R], /) -> Callable[[events.PermissionDeniedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PermissionGranted"] | type[events.PermissionGrantedEvent]], handler: Callable[[events.PermissionGrantedEvent], R], /) -> Callable[[events.PermissionGrantedEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PermissionRequest", "permissionRequest", "permission_request"] | type[events.PermissionRequestEvent]], handler: Callable[[events.PermissionRequestEvent], R], /) -> Callable[[events.PermissionRequestEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"] | type[events.PostToolUseFailureEvent]], handler: Callable[[events.PostToolUseFailureEvent], R], /) -> Callable[[events.PostToolUseFailureEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"] | type[events.PostToolUseEvent]], handler: Callable[[events.PostToolUseEvent], R], /) -> Callable[[events.PostToolUseEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"] | type[events.PreToolUseEvent]], handler: Callable[[events.PreToolUseEvent], R], /) -> Callable[[events.PreToolUseEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"] | type[events.GenerateEndEvent]], handler: Callable[[events.GenerateEndEvent], R], /) -> Callable[[events.GenerateEndEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"] | type[events.GenerateStartEvent]], handler: Callable[[events.GenerateStartEvent], R], /) -> Callable[[events.GenerateStartEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["PostUserMessage"] | type[events.PostUserMessageEvent]], handler: Callable[[events.PostUserMessageEvent], R], /) -> Callable[[events.PostUserMessageEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"] | type[events.UserPromptSubmitEvent]], handler: Callable[[events.UserPromptSubmitEvent], R], /) -> Callable[[events.UserPromptSubmitEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["SessionEnd", "session:end", "session_end"] | type[events.SessionEndEvent]], handler: Callable[[events.SessionEndEvent], R], /) -> Callable[[events.SessionEndEvent], R]: ...
        @overload
        def __call__(self: RegistersOf[Literal["SessionStart", "session:start", "session_start"] | type[events.SessionStartEvent]], handler: Callable[[events.SessionStartEvent], R], /) -> Callable[[events.SessionStartEvent], R]: ...

class TypedClient:
    if MYPY:
        def hook(self, event: N, /, *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal["enforce", "observe"] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> RegistersOf[N]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        def register_hook(self, event: N, handler: HandlerOf[N], /, *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal["enforce", "observe"] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        def temporary_hook(self, event: N, handler: HandlerOf[N], /, *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal["enforce", "observe"] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
    else:
        @overload
        def hook(self, event: type[E], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[E]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["SessionStart", "session:start", "session_start"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.SessionStartEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["SessionEnd", "session:end", "session_end"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.SessionEndEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.UserPromptSubmitEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostUserMessage"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostUserMessageEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.GenerateStartEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.GenerateEndEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PreToolUseEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostToolUseEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostToolUseFailureEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PermissionRequestEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PermissionGranted"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PermissionGrantedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PermissionDenied"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PermissionDeniedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["SubagentStart", "subagentStart"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.SubagentStartEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["SubagentStop", "subagentStop"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.SubagentStopEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PreCompactEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostCompact", "context:post_compact", "post_compact"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostCompactEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["ContextWarning"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.ContextWarningEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.NotificationEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.StopEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.StopFailureEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.ToolResolutionEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["GenerateError", "error:provider"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.GenerateErrorEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["StatusLine"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.StatusLineEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["FileSuggestion"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.FileSuggestionEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["Setup"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.SetupEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["InstructionsLoaded"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.InstructionsLoadedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["UserPromptExpansion"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.UserPromptExpansionEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["MessageDisplay"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.MessageDisplayEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostToolBatch"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostToolBatchEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["TaskCreated"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.TaskCreatedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["TaskCompleted"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.TaskCompletedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["TeammateIdle"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.TeammateIdleEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PreModelSwitch"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PreModelSwitchEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["PostModelSwitch"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.PostModelSwitchEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["ConfigChange"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.ConfigChangeEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["CwdChanged"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.CwdChangedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["DirectoryAdded"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.DirectoryAddedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["FileChanged"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.FileChangedEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["WorktreeCreate"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.WorktreeCreateEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["WorktreeRemove"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.WorktreeRemoveEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["Elicitation"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.ElicitationEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: Literal["ElicitationResult"], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[events.ElicitationResultEvent]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def hook(self, event: EventName, *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> Registers[Event]:
            """Registers the function that it decorates for an event, and leaves it as it is."""
        @overload
        def register_hook(self, event: type[E], handler: Handler[E], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["SessionStart", "session:start", "session_start"], handler: Handler[events.SessionStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["SessionEnd", "session:end", "session_end"], handler: Handler[events.SessionEndEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], handler: Handler[events.UserPromptSubmitEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostUserMessage"], handler: Handler[events.PostUserMessageEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], handler: Handler[events.GenerateStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], handler: Handler[events.GenerateEndEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], handler: Handler[events.PreToolUseEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], handler: Handler[events.PostToolUseEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], handler: Handler[events.PostToolUseFailureEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], handler: Handler[events.PermissionRequestEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PermissionGranted"], handler: Handler[events.PermissionGrantedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PermissionDenied"], handler: Handler[events.PermissionDeniedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["SubagentStart", "subagentStart"], handler: Handler[events.SubagentStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["SubagentStop", "subagentStop"], handler: Handler[events.SubagentStopEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"], handler: Handler[events.PreCompactEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostCompact", "context:post_compact", "post_compact"], handler: Handler[events.PostCompactEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["ContextWarning"], handler: Handler[events.ContextWarningEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], handler: Handler[events.NotificationEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"], handler: Handler[events.StopEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], handler: Handler[events.StopFailureEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], handler: Handler[events.ToolResolutionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["GenerateError", "error:provider"], handler: Handler[events.GenerateErrorEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["StatusLine"], handler: Handler[events.StatusLineEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["FileSuggestion"], handler: Handler[events.FileSuggestionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["Setup"], handler: Handler[events.SetupEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["InstructionsLoaded"], handler: Handler[events.InstructionsLoadedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["UserPromptExpansion"], handler: Handler[events.UserPromptExpansionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["MessageDisplay"], handler: Handler[events.MessageDisplayEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostToolBatch"], handler: Handler[events.PostToolBatchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["TaskCreated"], handler: Handler[events.TaskCreatedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["TaskCompleted"], handler: Handler[events.TaskCompletedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["TeammateIdle"], handler: Handler[events.TeammateIdleEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PreModelSwitch"], handler: Handler[events.PreModelSwitchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["PostModelSwitch"], handler: Handler[events.PostModelSwitchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["ConfigChange"], handler: Handler[events.ConfigChangeEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["CwdChanged"], handler: Handler[events.CwdChangedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["DirectoryAdded"], handler: Handler[events.DirectoryAddedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["FileChanged"], handler: Handler[events.FileChangedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["WorktreeCreate"], handler: Handler[events.WorktreeCreateEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["WorktreeRemove"], handler: Handler[events.WorktreeRemoveEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["Elicitation"], handler: Handler[events.ElicitationEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: Literal["ElicitationResult"], handler: Handler[events.ElicitationResultEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def register_hook(self, event: EventName, handler: Handler[Event], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> str:
            """Registers a handler for an event, and gives the id of the hook."""
        @overload
        def temporary_hook(self, event: type[E], handler: Handler[E], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["SessionStart", "session:start", "session_start"], handler: Handler[events.SessionStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["SessionEnd", "session:end", "session_end"], handler: Handler[events.SessionEndEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["UserPromptSubmit", "PrePromptSubmit", "prompt:submit", "BeforeAgent", "userPromptSubmitted", "beforeSubmitPrompt", "pre_prompt"], handler: Handler[events.UserPromptSubmitEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostUserMessage"], handler: Handler[events.PostUserMessageEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["GenerateStart", "generate_start", "provider:request", "BeforeModel"], handler: Handler[events.GenerateStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["GenerateEnd", "generate_end", "provider:response", "AfterModel"], handler: Handler[events.GenerateEndEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PreToolUse", "tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"], handler: Handler[events.PreToolUseEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostToolUse", "tool:post", "post_tool_use", "AfterTool", "postToolUse"], handler: Handler[events.PostToolUseEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostToolUseFailure", "ToolError", "tool:error", "postToolUseFailure"], handler: Handler[events.PostToolUseFailureEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PermissionRequest", "permissionRequest", "permission_request"], handler: Handler[events.PermissionRequestEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PermissionGranted"], handler: Handler[events.PermissionGrantedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PermissionDenied"], handler: Handler[events.PermissionDeniedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["SubagentStart", "subagentStart"], handler: Handler[events.SubagentStartEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["SubagentStop", "subagentStop"], handler: Handler[events.SubagentStopEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"], handler: Handler[events.PreCompactEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostCompact", "context:post_compact", "post_compact"], handler: Handler[events.PostCompactEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["ContextWarning"], handler: Handler[events.ContextWarningEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["Notification", "NotificationEvent", "user:notification"], handler: Handler[events.NotificationEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"], handler: Handler[events.StopEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["StopFailure", "errorOccurred", "error:orchestrator"], handler: Handler[events.StopFailureEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["ToolResolution", "decision:tool_resolution", "DECISION_TOOL_RESOLUTION"], handler: Handler[events.ToolResolutionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["GenerateError", "error:provider"], handler: Handler[events.GenerateErrorEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["StatusLine"], handler: Handler[events.StatusLineEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["FileSuggestion"], handler: Handler[events.FileSuggestionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["Setup"], handler: Handler[events.SetupEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["InstructionsLoaded"], handler: Handler[events.InstructionsLoadedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["UserPromptExpansion"], handler: Handler[events.UserPromptExpansionEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["MessageDisplay"], handler: Handler[events.MessageDisplayEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostToolBatch"], handler: Handler[events.PostToolBatchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["TaskCreated"], handler: Handler[events.TaskCreatedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["TaskCompleted"], handler: Handler[events.TaskCompletedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["TeammateIdle"], handler: Handler[events.TeammateIdleEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PreModelSwitch"], handler: Handler[events.PreModelSwitchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["PostModelSwitch"], handler: Handler[events.PostModelSwitchEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["ConfigChange"], handler: Handler[events.ConfigChangeEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["CwdChanged"], handler: Handler[events.CwdChangedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["DirectoryAdded"], handler: Handler[events.DirectoryAddedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["FileChanged"], handler: Handler[events.FileChangedEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["WorktreeCreate"], handler: Handler[events.WorktreeCreateEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["WorktreeRemove"], handler: Handler[events.WorktreeRemoveEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["Elicitation"], handler: Handler[events.ElicitationEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: Literal["ElicitationResult"], handler: Handler[events.ElicitationResultEvent], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
        @overload
        def temporary_hook(self, event: EventName, handler: Handler[Event], *, matcher: Matcher | None = ..., name: str | None = ..., priority: int = ..., scope: Scope = ..., timeout: Duration | None = ..., fail_behavior: FailBehavior | None = ..., enforcement: Literal['enforce', 'observe'] | None = ..., once: bool = ..., mandatory: bool | None = ..., detached: bool = ..., async_: bool = ..., enabled: bool = ..., run_in_thread: bool = ...) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
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
    ) -> Dispatch[Outcome[events.SessionStartEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.SessionEndEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.UserPromptSubmitEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PostUserMessageEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.GenerateStartEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.GenerateEndEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PreToolUseEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PostToolUseEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PostToolUseFailureEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PermissionRequestEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PermissionGrantedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PermissionDeniedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.SubagentStartEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.SubagentStopEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
    @overload
    def dispatch(
        self,
        event_: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"],
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
    ) -> Dispatch[Outcome[events.PreCompactEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
    @overload
    def dispatch(
        self,
        event_: Literal["PostCompact", "context:post_compact", "post_compact"],
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
    ) -> Dispatch[Outcome[events.PostCompactEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.ContextWarningEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.NotificationEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
    @overload
    def dispatch(
        self,
        event_: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"],
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
    ) -> Dispatch[Outcome[events.StopEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.StopFailureEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.ToolResolutionEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.GenerateErrorEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.StatusLineEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.FileSuggestionEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.SetupEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.InstructionsLoadedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.UserPromptExpansionEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.MessageDisplayEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PostToolBatchEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.TaskCreatedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.TaskCompletedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.TeammateIdleEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PreModelSwitchEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.PostModelSwitchEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.ConfigChangeEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.CwdChangedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.DirectoryAddedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.FileChangedEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.WorktreeCreateEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.WorktreeRemoveEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.ElicitationEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Dispatch[Outcome[events.ElicitationResultEvent]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
    @overload
    def dispatch(self, event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any) -> Dispatch[Outcome[Event]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
    @overload
    def dispatch(self, event_: E, /) -> Dispatch[Outcome[E]]:
        """Runs the hooks of an event and gives their outcome; nothing runs before it is awaited."""
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
    ) -> Outcome[events.SessionStartEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.SessionEndEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.UserPromptSubmitEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PostUserMessageEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.GenerateStartEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.GenerateEndEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PreToolUseEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PostToolUseEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PostToolUseFailureEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PermissionRequestEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PermissionGrantedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PermissionDeniedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.SubagentStartEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.SubagentStopEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PreCompact", "PreCompress", "preCompact", "context:pre_compact", "pre_compact"],
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
    ) -> Outcome[events.PreCompactEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
    @overload
    def dispatch_sync(
        self,
        event_: Literal["PostCompact", "context:post_compact", "post_compact"],
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
    ) -> Outcome[events.PostCompactEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.ContextWarningEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.NotificationEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
    @overload
    def dispatch_sync(
        self,
        event_: Literal["Stop", "agentStop", "AfterAgent", "orchestrator:complete", "post_response"],
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
    ) -> Outcome[events.StopEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.StopFailureEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.ToolResolutionEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.GenerateErrorEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.StatusLineEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.FileSuggestionEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.SetupEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.InstructionsLoadedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.UserPromptExpansionEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.MessageDisplayEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PostToolBatchEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.TaskCreatedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.TaskCompletedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.TeammateIdleEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PreModelSwitchEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.PostModelSwitchEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.ConfigChangeEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.CwdChangedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.DirectoryAddedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.FileChangedEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.WorktreeCreateEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.WorktreeRemoveEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.ElicitationEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
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
    ) -> Outcome[events.ElicitationResultEvent]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
    @overload
    def dispatch_sync(self, event_: EventName, payload_: Mapping[str, Any] = ..., /, **fields: Any) -> Outcome[Event]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
    @overload
    def dispatch_sync(self, event_: E, /) -> Outcome[E]:
        """Runs the hooks of an event and gives their outcome, in programs without an event loop."""
