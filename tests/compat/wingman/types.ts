interface HooksConfig {
  PreToolUse?: HookMatcher[];
  PostToolUse?: HookMatcher[];
  Stop?: StopHook[];
}

interface HookMatcher {
  matcher?: string;
  hooks: Hook[];
}

interface Hook {
  type: "command";
  command: string;
  timeout?: number;
}

interface StopHook {
  hooks: Hook[];
}

interface HookInput {
  session_id: string;
  cwd: string;
  hook_event_name: "PreToolUse" | "PostToolUse" | "Stop";
  tool_name?: string;
  tool_input?: Record<string, unknown>;
  tool_use_id?: string;
  tool_output?: unknown;
}
