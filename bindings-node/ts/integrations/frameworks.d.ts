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
