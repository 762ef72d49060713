interface HookEvent {
  eventType: HookEventType;
  sessionId: string;
  timestamp: number;
  metadata: Record<string, unknown>;
}

interface PreToolUseEvent extends HookEvent {
  eventType: "PreToolUse";
  tool: string;           // "Bash", "Write", "Edit", etc.
  args: ToolArgs;         // Tool-specific arguments
  context: {
    workingDirectory: string;
    recentTools: string[];
    tokenUsage: TokenUsage;
  };
}

interface PostToolUseEvent extends HookEvent {
  eventType: "PostToolUse";
  tool: string;
  args: ToolArgs;
  result: {
    success: boolean;
    output: string;
    exitCode?: number;
    duration: number;
  };
}

interface GenerateStartEvent extends HookEvent {
  eventType: "GenerateStart";
  prompt: string;
  systemPrompt?: string;
  model: ModelConfig;
  tools: string[];        // Available tools
}

interface GenerateEndEvent extends HookEvent {
  eventType: "GenerateEnd";
  prompt: string;
  response: {
    text: string;
    toolCalls: ToolCall[];
    usage: TokenUsage;
    duration: number;
  };
}

type HookResponse =
  | { action: "continue" }                           // Proceed normally
  | { action: "continue"; modified: ModifiedData }   // Proceed with modifications
  | { action: "block"; reason: string }              // Stop execution
  | { action: "retry"; delay?: number }              // Retry after delay
  | { action: "skip" };                              // Skip this hook only
