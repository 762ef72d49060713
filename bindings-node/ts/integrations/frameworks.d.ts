/** The little that adapters use of their frameworks, which are not installed where the package is built. */

declare module "ai" {
  /** Absent before version 7. */
  export const experimental_createSteering:
    (() => { steer(message: string): PromiseLike<unknown> }) | undefined;
}

declare module "@langchain/core/messages" {
  class BaseMessage {
    static isInstance<T extends abstract new (...given: never[]) => unknown>(
      this: T,
      message: unknown,
    ): message is InstanceType<T>;
    readonly id?: string;
    readonly content: string | readonly { readonly type: string }[];
    readonly text: string;
  }
  export class HumanMessage extends BaseMessage {
    constructor(fields: { content: unknown; id?: string | undefined; name?: string });
  }
  export class AIMessage extends BaseMessage {
    constructor(content: string);
    readonly tool_calls?: readonly unknown[];
  }
  export class ToolMessage extends BaseMessage {
    constructor(fields: {
      content: unknown;
      tool_call_id: string;
      name: string;
      status: "error" | "success";
    });
    readonly status?: "error" | "success";
  }
}

declare module "@langchain/langgraph" {
  export class Command {
    constructor(fields: { graph?: unknown; goto?: unknown; update?: unknown });
    readonly graph?: unknown;
    readonly goto?: unknown;
    readonly update?: unknown;
  }
  export function getConfig():
    { configurable?: Record<string, unknown>; metadata?: Record<string, unknown> } | undefined;
  export function interrupt(value: unknown): unknown;
  export function isCommand(value: unknown): value is Command;
  export function isGraphBubbleUp(error: unknown): boolean;
}

declare module "langchain" {
  import type { ToolMessage } from "@langchain/core/messages";
  import type { Command } from "@langchain/langgraph";

  export interface AgentMiddleware {
    readonly name: string;
  }
  interface Update {
    messages?: unknown[];
    jumpTo?: "end" | "model";
  }
  interface Hook {
    canJumpTo: ("end" | "model")[];
    hook(state: { messages: readonly unknown[] }): Promise<Update | undefined>;
  }
  interface ToolCallRequest {
    readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string };
    readonly runtime?: { readonly signal?: AbortSignal };
  }
  export function createMiddleware(config: {
    name: string;
    beforeAgent: Hook;
    beforeModel: Hook;
    afterModel: Hook;
    wrapToolCall(
      request: ToolCallRequest,
      handler: (request: ToolCallRequest) => Promise<ToolMessage | Command>,
    ): Promise<ToolMessage | Command>;
  }): AgentMiddleware;
}

declare module "@openai/agents" {
  export interface Item {
    readonly role?: string;
    readonly type?: string;
    readonly content?: string | readonly { readonly type: string; readonly text?: unknown }[];
  }
  export interface RunContext {
    isToolApproved(asked: { toolName: string; callId: string }): boolean | undefined;
  }
  interface ToolCallDetails {
    readonly toolCall?: { readonly callId: string };
    readonly signal?: AbortSignal;
  }
  export interface FunctionTool {
    readonly type: "function";
    readonly name: string;
    readonly outputSchema?: unknown;
    invoke(context: RunContext, input: string, details?: ToolCallDetails): Promise<unknown>;
    needsApproval(context: RunContext, args: unknown, id?: string): Promise<boolean>;
  }
  interface HostedTool {
    readonly type: "hosted_tool" | "computer" | "shell" | "apply_patch";
    readonly name: string;
  }
  export type Tool = FunctionTool | HostedTool;
  /** Runs in this process, and loads tools for an agent that runs. */
  export function getClientToolSearchExecutor(tool: Tool): unknown;
  interface ToolOptions {
    readonly name?: string;
    execute(...given: unknown[]): unknown;
  }
  export function tool(options: ToolOptions): FunctionTool;

  interface ToolResult {
    readonly type: string;
    readonly tool: Tool;
    readonly output?: unknown;
  }
  interface Ends {
    readonly isFinalOutput: boolean;
    readonly isInterrupted: undefined;
    readonly finalOutput?: string;
  }
  export type ToolUseBehavior =
    | "run_llm_again"
    | "stop_on_first_tool"
    | { readonly stopAtToolNames: readonly string[] }
    | ((context: RunContext, results: readonly ToolResult[]) => Ends | Promise<Ends>);
  interface Handoff {
    readonly agent: Agent;
    onInvokeHandoff(...given: unknown[]): Agent | Promise<Agent>;
  }
  interface AgentToolOptions {
    readonly runConfig?: RunConfig;
  }
  export interface Agent {
    readonly name: string;
    readonly outputType: unknown;
    readonly handoffs: readonly (Agent | Handoff)[];
    toolUseBehavior: ToolUseBehavior;
    getAllTools(...given: unknown[]): Promise<Tool[]>;
    clone(config: object): Agent;
    asTool(options: AgentToolOptions): FunctionTool;
  }

  interface ModelInputData {
    readonly input: readonly Item[];
    readonly instructions?: string;
  }
  export type ModelInputFilter = (data: {
    readonly modelData: ModelInputData;
    readonly agent: Agent;
  }) => ModelInputData | Promise<ModelInputData>;
  export type ToolErrorFormatter = (about: {
    readonly kind: string;
    readonly toolName: string;
    readonly callId: string;
  }) => string | undefined | Promise<string | undefined>;
  export interface RunConfig {
    readonly groupId?: string;
    readonly callModelInputFilter?: ModelInputFilter;
    readonly toolErrorFormatter?: ToolErrorFormatter;
  }
  export interface RunOptions extends RunConfig {
    readonly stream?: boolean;
    readonly session?: { getSessionId(): Promise<string> };
    readonly conversationId?: string;
    readonly previousResponseId?: string | undefined;
  }
  export interface RunState {
    getInterruptions(): {
      readonly agent: Agent;
      readonly rawItem: { readonly callId?: string; readonly arguments?: string };
    }[];
  }
  export interface RunResult {
    readonly finalOutput: unknown;
    readonly interruptions: readonly unknown[];
    readonly history: readonly Item[];
    readonly lastAgent?: Agent;
    readonly lastResponseId?: string;
  }
  export class Runner {
    readonly config: RunConfig;
    run(agent: Agent, input: string | Item[] | RunState, options?: RunOptions): Promise<RunResult>;
  }
}

declare module "@anthropic-ai/claude-agent-sdk" {
  interface HookCallbackMatcher {
    hooks: ((given: unknown) => Promise<unknown>)[];
    timeout?: number;
    onFailure?: "block";
  }
  export interface Options {
    hooks?: Partial<Record<string, HookCallbackMatcher[]>>;
  }
}
