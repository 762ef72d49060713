/** The known events and what each carries. Written by scripts/write-events.mjs; do not edit. */
import type {
  CallReadings,
  EventBase,
  ModelResponseRecord,
  PreToolUseContext,
} from "./event-base.js";
import type { ToolResult } from "./tool-result.js";
/** `SessionStart`, `session:start`, `session_start`: not a gate, so that a block is feedback. */
export interface SessionStartEvent extends EventBase<"SessionStart"> {
  readonly source: string;
  readonly model?: unknown;
}
/** `SessionEnd`, `session:end`, `session_end`: not a gate, so that a block is feedback. */
export interface SessionEndEvent extends EventBase<"SessionEnd"> {
  readonly reason: string;
}
/** `UserPromptSubmit`, `PrePromptSubmit`, `prompt:submit`, `BeforeAgent`, `userPromptSubmitted`, `beforeSubmitPrompt`, `pre_prompt`: a gate, so that a block stops the action. */
export interface UserPromptSubmitEvent extends EventBase<"UserPromptSubmit"> {
  readonly prompt: string;
}
/** `PostUserMessage`: not a gate, so that a block is feedback. */
export interface PostUserMessageEvent extends EventBase<"PostUserMessage"> {
  readonly prompt: string;
}
/** `GenerateStart`, `generate_start`, `provider:request`, `BeforeModel`: a gate, so that a block stops the action. */
export interface GenerateStartEvent extends EventBase<"GenerateStart"> {
  readonly prompt: string;
  readonly systemPrompt?: string;
  readonly model: unknown;
  readonly tools: readonly unknown[];
}
/** `GenerateEnd`, `generate_end`, `provider:response`, `AfterModel`: not a gate, so that a block is feedback. */
export interface GenerateEndEvent extends EventBase<"GenerateEnd"> {
  readonly prompt: string;
  readonly response: ModelResponseRecord;
  readonly model: unknown;
}
/** `PreToolUse`, `tool:pre`, `pre_tool_use`, `BeforeTool`, `preToolUse`: a gate, so that a block stops the action. */
export interface PreToolUseEvent extends EventBase<"PreToolUse">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly toolUseId: string;
  readonly context?: PreToolUseContext;
}
/** `PostToolUse`, `tool:post`, `post_tool_use`, `AfterTool`, `postToolUse`: not a gate, so that a block is feedback. */
export interface PostToolUseEvent extends EventBase<"PostToolUse">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly toolUseId: string;
  readonly result: ToolResult;
}
/** `PostToolUseFailure`, `ToolError`, `tool:error`, `postToolUseFailure`: not a gate, so that a block is feedback. */
export interface PostToolUseFailureEvent extends EventBase<"PostToolUseFailure">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly toolUseId: string;
  readonly error: unknown;
  readonly duration?: number;
}
/** `PermissionRequest`, `permissionRequest`, `permission_request`: a gate, so that a block stops the action. */
export interface PermissionRequestEvent extends EventBase<"PermissionRequest">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly prompt?: string;
}
/** `PermissionGranted`: not a gate, so that a block is feedback. */
export interface PermissionGrantedEvent extends EventBase<"PermissionGranted">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly by?: string;
}
/** `PermissionDenied`: not a gate, so that a block is feedback. */
export interface PermissionDeniedEvent extends EventBase<"PermissionDenied">, CallReadings {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly reason?: string;
  readonly by?: string;
}
/** `SubagentStart`, `subagentStart`: a gate, so that a block stops the action. */
export interface SubagentStartEvent extends EventBase<"SubagentStart"> {
  readonly agentId: string;
  readonly agentType: string;
  readonly parentSessionId?: string;
}
/** `SubagentStop`, `subagentStop`: a gate, so that a block stops the action. */
export interface SubagentStopEvent extends EventBase<"SubagentStop"> {
  readonly agentId: string;
  readonly agentType: string;
  readonly parentSessionId?: string;
}
/** `PreCompact`, `PreCompress`, `preCompact`, `context:pre_compact`, `pre_compact`: a gate, so that a block stops the action. */
export interface PreCompactEvent extends EventBase<"PreCompact"> {
  readonly trigger: string;
  readonly customInstructions?: string;
  readonly messages?: readonly unknown[];
}
/** `PostCompact`, `context:post_compact`, `post_compact`: not a gate, so that a block is feedback. */
export interface PostCompactEvent extends EventBase<"PostCompact"> {
  readonly trigger: string;
  readonly summary?: string;
}
/** `ContextWarning`: not a gate, so that a block is feedback. */
export interface ContextWarningEvent extends EventBase<"ContextWarning"> {
  readonly usage: unknown;
  readonly limit: number;
  readonly ratio?: number;
  readonly threshold?: number;
}
/** `Notification`, `NotificationEvent`, `user:notification`: not a gate, so that a block is feedback. */
export interface NotificationEvent extends EventBase<"Notification"> {
  readonly message: string;
  readonly title?: string;
  readonly kind?: string;
}
/** `Stop`, `agentStop`, `AfterAgent`, `orchestrator:complete`, `post_response`: a gate, so that a block stops the action. */
export interface StopEvent extends EventBase<"Stop"> {
  readonly lastMessage?: string;
  readonly turnCount?: number;
  readonly duration?: number;
  readonly status?: string;
  readonly changedFiles?: readonly unknown[];
  readonly stopHookActive?: boolean;
}
/** `StopFailure`, `errorOccurred`, `error:orchestrator`: not a gate, so that a block is feedback. */
export interface StopFailureEvent extends EventBase<"StopFailure"> {
  readonly error: unknown;
}
/** `ToolResolution`, `decision:tool_resolution`, `DECISION_TOOL_RESOLUTION`: not a gate, so that a block is feedback. */
export interface ToolResolutionEvent extends EventBase<"ToolResolution"> {
  readonly tool: string;
  readonly candidates?: readonly unknown[];
}
/** `GenerateError`, `error:provider`: not a gate, so that a block is feedback. */
export interface GenerateErrorEvent extends EventBase<"GenerateError"> {
  readonly error: unknown;
  readonly model?: unknown;
}
/** `StatusLine`: not a gate, so that a block is feedback. */
export interface StatusLineEvent extends EventBase<"StatusLine"> {
  readonly text?: string;
}
/** `FileSuggestion`: not a gate, so that a block is feedback. */
export interface FileSuggestionEvent extends EventBase<"FileSuggestion"> {
  readonly query: string;
  readonly suggestions?: readonly unknown[];
}
/** `Setup`: not a gate, so that a block is feedback. */
export interface SetupEvent extends EventBase<"Setup"> {
  readonly trigger: string;
}
/** `InstructionsLoaded`: not a gate, so that a block is feedback. */
export interface InstructionsLoadedEvent extends EventBase<"InstructionsLoaded"> {
  readonly filePath: string;
  readonly memoryType?: string;
  readonly loadReason?: string;
  readonly globs?: readonly unknown[];
  readonly triggerFilePath?: string;
  readonly parentFilePath?: string;
}
/** `UserPromptExpansion`: a gate, so that a block stops the action. */
export interface UserPromptExpansionEvent extends EventBase<"UserPromptExpansion"> {
  readonly expansionType?: string;
  readonly commandName: string;
  readonly commandArgs?: string;
  readonly commandSource?: string;
  readonly prompt: string;
}
/** `MessageDisplay`: not a gate, so that a block is feedback. */
export interface MessageDisplayEvent extends EventBase<"MessageDisplay"> {
  readonly turnId?: string;
  readonly messageId?: string;
  readonly index?: number;
  readonly final?: boolean;
  readonly delta?: string;
}
/** `PostToolBatch`: a gate, so that a block stops the action. */
export interface PostToolBatchEvent extends EventBase<"PostToolBatch"> {
  readonly toolCalls: readonly unknown[];
}
/** `TaskCreated`: a gate, so that a block stops the action. */
export interface TaskCreatedEvent extends EventBase<"TaskCreated"> {
  readonly taskId: string;
  readonly taskSubject: string;
  readonly taskDescription?: string;
  readonly teammateName?: string;
  readonly teamName?: string;
}
/** `TaskCompleted`: a gate, so that a block stops the action. */
export interface TaskCompletedEvent extends EventBase<"TaskCompleted"> {
  readonly taskId: string;
  readonly taskSubject: string;
  readonly taskDescription?: string;
  readonly teammateName?: string;
  readonly teamName?: string;
}
/** `TeammateIdle`: a gate, so that a block stops the action. */
export interface TeammateIdleEvent extends EventBase<"TeammateIdle"> {
  readonly teammateName: string;
  readonly teamName?: string;
}
/** `PreModelSwitch`: a gate, so that a block stops the action. */
export interface PreModelSwitchEvent extends EventBase<"PreModelSwitch"> {
  readonly fromModel: unknown;
  readonly toModel: unknown;
  readonly requestedModel?: unknown;
  readonly source?: string;
  readonly contextTokens?: number;
}
/** `PostModelSwitch`: not a gate, so that a block is feedback. */
export interface PostModelSwitchEvent extends EventBase<"PostModelSwitch"> {
  readonly fromModel: unknown;
  readonly toModel: unknown;
  readonly requestedModel?: unknown;
  readonly source?: string;
}
/** `ConfigChange`: a gate, so that a block stops the action. */
export interface ConfigChangeEvent extends EventBase<"ConfigChange"> {
  readonly source: string;
  readonly filePath?: string;
}
/** `CwdChanged`: not a gate, so that a block is feedback. */
export interface CwdChangedEvent extends EventBase<"CwdChanged"> {
  readonly oldCwd: string;
  readonly newCwd: string;
}
/** `DirectoryAdded`: not a gate, so that a block is feedback. */
export interface DirectoryAddedEvent extends EventBase<"DirectoryAdded"> {
  readonly directory: string;
  readonly source?: string;
}
/** `FileChanged`: not a gate, so that a block is feedback. */
export interface FileChangedEvent extends EventBase<"FileChanged"> {
  readonly filePath: string;
  readonly event: string;
}
/** `WorktreeCreate`: a gate, so that a block stops the action. */
export interface WorktreeCreateEvent extends EventBase<"WorktreeCreate"> {
  readonly name: string;
}
/** `WorktreeRemove`: not a gate, so that a block is feedback. */
export interface WorktreeRemoveEvent extends EventBase<"WorktreeRemove"> {
  readonly worktreePath: string;
}
/** `Elicitation`: a gate, so that a block stops the action. */
export interface ElicitationEvent extends EventBase<"Elicitation"> {
  readonly mcpServerName: string;
  readonly message: string;
  readonly mode?: string;
  readonly url?: string;
  readonly elicitationId?: string;
  readonly requestedSchema?: Record<string, unknown>;
}
/** `ElicitationResult`: a gate, so that a block stops the action. */
export interface ElicitationResultEvent extends EventBase<"ElicitationResult"> {
  readonly mcpServerName: string;
  readonly action: string;
  readonly content?: Record<string, unknown>;
  readonly mode?: string;
  readonly elicitationId?: string;
}
/** The event of each name; a program adds its own by declaration merging. */
export interface EventMap {
  SessionStart: SessionStartEvent;
  SessionEnd: SessionEndEvent;
  UserPromptSubmit: UserPromptSubmitEvent;
  PostUserMessage: PostUserMessageEvent;
  GenerateStart: GenerateStartEvent;
  GenerateEnd: GenerateEndEvent;
  PreToolUse: PreToolUseEvent;
  PostToolUse: PostToolUseEvent;
  PostToolUseFailure: PostToolUseFailureEvent;
  PermissionRequest: PermissionRequestEvent;
  PermissionGranted: PermissionGrantedEvent;
  PermissionDenied: PermissionDeniedEvent;
  SubagentStart: SubagentStartEvent;
  SubagentStop: SubagentStopEvent;
  PreCompact: PreCompactEvent;
  PostCompact: PostCompactEvent;
  ContextWarning: ContextWarningEvent;
  Notification: NotificationEvent;
  Stop: StopEvent;
  StopFailure: StopFailureEvent;
  ToolResolution: ToolResolutionEvent;
  GenerateError: GenerateErrorEvent;
  StatusLine: StatusLineEvent;
  FileSuggestion: FileSuggestionEvent;
  Setup: SetupEvent;
  InstructionsLoaded: InstructionsLoadedEvent;
  UserPromptExpansion: UserPromptExpansionEvent;
  MessageDisplay: MessageDisplayEvent;
  PostToolBatch: PostToolBatchEvent;
  TaskCreated: TaskCreatedEvent;
  TaskCompleted: TaskCompletedEvent;
  TeammateIdle: TeammateIdleEvent;
  PreModelSwitch: PreModelSwitchEvent;
  PostModelSwitch: PostModelSwitchEvent;
  ConfigChange: ConfigChangeEvent;
  CwdChanged: CwdChangedEvent;
  DirectoryAdded: DirectoryAddedEvent;
  FileChanged: FileChangedEvent;
  WorktreeCreate: WorktreeCreateEvent;
  WorktreeRemove: WorktreeRemoveEvent;
  Elicitation: ElicitationEvent;
  ElicitationResult: ElicitationResultEvent;
}
/** The fields of each event that hooks may replace. */
export interface ModifiableMap {
  UserPromptSubmit: "prompt";
  GenerateStart: "prompt" | "systemPrompt" | "tools";
  GenerateEnd: "response";
  PreToolUse: "args";
  PostToolUse: "result";
  PostToolUseFailure: "error";
  PermissionRequest: "args";
  PreCompact: "customInstructions";
  StatusLine: "text";
  FileSuggestion: "suggestions";
}
/** Other names of the events. */
export interface AliasMap {
  "session:start": "SessionStart";
  session_start: "SessionStart";
  "session:end": "SessionEnd";
  session_end: "SessionEnd";
  PrePromptSubmit: "UserPromptSubmit";
  "prompt:submit": "UserPromptSubmit";
  BeforeAgent: "UserPromptSubmit";
  userPromptSubmitted: "UserPromptSubmit";
  beforeSubmitPrompt: "UserPromptSubmit";
  pre_prompt: "UserPromptSubmit";
  generate_start: "GenerateStart";
  "provider:request": "GenerateStart";
  BeforeModel: "GenerateStart";
  generate_end: "GenerateEnd";
  "provider:response": "GenerateEnd";
  AfterModel: "GenerateEnd";
  "tool:pre": "PreToolUse";
  pre_tool_use: "PreToolUse";
  BeforeTool: "PreToolUse";
  preToolUse: "PreToolUse";
  "tool:post": "PostToolUse";
  post_tool_use: "PostToolUse";
  AfterTool: "PostToolUse";
  postToolUse: "PostToolUse";
  ToolError: "PostToolUseFailure";
  "tool:error": "PostToolUseFailure";
  postToolUseFailure: "PostToolUseFailure";
  permissionRequest: "PermissionRequest";
  permission_request: "PermissionRequest";
  subagentStart: "SubagentStart";
  subagentStop: "SubagentStop";
  PreCompress: "PreCompact";
  preCompact: "PreCompact";
  "context:pre_compact": "PreCompact";
  pre_compact: "PreCompact";
  "context:post_compact": "PostCompact";
  post_compact: "PostCompact";
  NotificationEvent: "Notification";
  "user:notification": "Notification";
  agentStop: "Stop";
  AfterAgent: "Stop";
  "orchestrator:complete": "Stop";
  post_response: "Stop";
  errorOccurred: "StopFailure";
  "error:orchestrator": "StopFailure";
  "decision:tool_resolution": "ToolResolution";
  DECISION_TOOL_RESOLUTION: "ToolResolution";
  "error:provider": "GenerateError";
}
