/** One scripted agent and one policy, the same for every framework and as in Python. */

import { HookClient, HookResponse, type Approver, type EventName, type HookEvent } from "hookweave";

export const SECRET = "sk-live-4242";
export const REDACTED = "[redacted]";
export const RULES = "House rules: be careful.";
export const DONE = "all done";
/** Milliseconds. */
export const LIMIT = 120_000;
const HEARD = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "PermissionGranted",
  "PermissionDenied",
  "SubagentStart",
  "SubagentStop",
] as const satisfies readonly EventName[];

/** A tool call of the scripted model. */
export interface Call {
  name: string;
  args: Record<string, unknown>;
  readonly id: string;
}

/** One answer of the model: a text, or tool calls. */
export type Turn = string | Call[];

/** One answer of the model with tool calls. */
export function turn(calls: [string, Record<string, unknown>][], id = "c"): Call[] {
  return calls.map(([name, args], number) => ({ name, args, id: `${id}${number}` }));
}

/** How an agent is run. */
export interface How {
  prompt?: string;
  approval?: Approver;
  /** By the framework's own way to ask. */
  asks?: boolean;
  /** What the framework needs to go on, and by call id what a person said. */
  resume?: { stopped: unknown; said: Record<string, boolean> };
  bare?: boolean;
  subagent?: Turn[];
  conversation?: string;
  /** An adapter to be used in place of a new one. */
  hooks?: unknown;
  signal?: AbortSignal;
}

/** What came of a run. */
export class Seen {
  /** What the model was given at each call, as text. */
  readonly requests: string[] = [];
  final = "";
  /** By call id whether the framework marked the result as an error. */
  failed: Record<string, boolean> = {};
  /** What the framework needs to go on, as JSON. */
  suspended: unknown = null;
  raised: unknown = null;

  get last(): string {
    return this.requests.at(-1) ?? "";
  }
}

/** A framework's scripted agent. */
export interface Agent {
  /** The module's name without `agent-`. */
  readonly name: string;
  /** By the names of checks why the framework makes them impossible. */
  readonly impossible: Readonly<Record<string, string>>;
  adapter(world: World, how: How): unknown;
  run(world: World, script: Turn[], how: How): Promise<Seen>;
}

/** The tools, what they did, and the hooks around them. */
export class World {
  readonly ran: string[] = [];
  readonly events: [event: string, about: string, agentId: string | null][] = [];
  readonly sessions = new Set<string>();
  readonly client = new HookClient({ maxHooksPerEvent: null, maxTotalHooks: null });
  /** Resolves once a tool runs that waits. */
  readonly active: Promise<void>;
  #tries = 0;
  #activate: () => void = () => undefined;

  /** Each tool with its one argument. */
  readonly tools = {
    bash: {
      argument: "command",
      run: (command: string) => this.#did(`bash ${command}`, `ran ${command}`),
    },
    fetch: { argument: "url", run: (url: string) => this.#did(`fetch ${url}`, `page ${url}`) },
    read: {
      argument: "path",
      run: (path: string) => this.#did(`read ${path}`, `token ${SECRET} in ${path}`),
    },
    flaky: {
      argument: "what",
      run: (what: string) => {
        this.#tries += 1;
        this.ran.push(`flaky ${this.#tries}`);
        if (this.#tries === 1) throw new RangeError("connection lost");
        return `got ${what}`;
      },
    },
    broken: {
      argument: "what",
      run: (what: string) => {
        this.ran.push("broken");
        throw new RangeError(`no ${what} here`);
      },
    },
    slow: {
      argument: "what",
      run: (what: string, signal?: AbortSignal) => this.#slow(what, signal),
    },
  } satisfies Record<
    string,
    { argument: string; run: (given: string, signal?: AbortSignal) => unknown }
  >;

  constructor() {
    this.active = new Promise((resolve) => (this.#activate = resolve));
  }

  /** Registers the hooks that all checks share. */
  policy(): this {
    const { client } = this;
    for (const event of HEARD) {
      client.registerHook(event, {
        name: `log-${event}`,
        config: { priority: -1000 },
        handler: (heard: HookEvent) => this.#log(event, heard),
      });
    }
    client.registerHook("PreToolUse", {
      matcher: { tool: "bash" },
      handler: ({ args }) => {
        const command = String(args["command"]);
        if (command.includes("rm -rf")) return HookResponse.block("no mass deletion");
        if (command === "halt") return HookResponse.stop("maintenance");
        if (command === "ls") return { modified: { args: { ...args, command: "ls --safe" } } };
        return undefined;
      },
    });
    client.registerHook("PreToolUse", {
      name: "asker",
      matcher: { tool: "fetch" },
      handler: ({ args }) => HookResponse.ask(`fetch ${String(args["url"])}?`),
    });
    client.registerHook("PostToolUse", ({ result }) => {
      const shown = JSON.stringify(result.output);
      if (!shown.includes(SECRET)) return undefined;
      const output: unknown = JSON.parse(shown.replaceAll(SECRET, REDACTED));
      return { modified: { result: { ...result, output } }, inject: "a secret was removed" };
    });
    client.registerHook("PostToolUse", ({ args }) =>
      args["command"] === "lint" ? HookResponse.block("lint: 3 errors") : undefined,
    );
    client.registerHook("PostToolUseFailure", ({ tool }) =>
      tool === "flaky" ? HookResponse.retry() : undefined,
    );
    client.registerHook("SessionStart", () => ({ inject: RULES }));
    client.registerHook("UserPromptSubmit", ({ prompt }) => {
      if (prompt.includes("evil")) return HookResponse.block("not such prompts");
      if (prompt.includes("draft"))
        return { modified: { prompt: prompt.replace("draft", "final") } };
      return undefined;
    });
    return this;
  }

  /** One question about each world's first call. */
  asksOnce(): this {
    this.client.registerHook("PreToolUse", {
      handler: () => HookResponse.ask("sure?"),
      config: { once: true },
    });
    return this;
  }

  /** No hooks. */
  noPolicy(): this {
    return this;
  }

  /** The first end of the agent's turn is none. */
  keepsAtWork(): this {
    let told = 0;
    this.client.registerHook("Stop", () => {
      told += 1;
      return told === 1 ? HookResponse.block("run the tests first") : undefined;
    });
    return this;
  }

  /** A client whose own code fails where a tool call is judged. */
  breaks(): this {
    const session = this.client.session.bind(this.client);
    this.client.session = (options) => {
      const made = session(options);
      made.beginTool = () => Promise.reject(new TypeError("bug in hookweave"));
      return made;
    };
    return this;
  }

  /** How often an event was raised, perhaps about a tool. */
  count(event: string, about?: string): number {
    return this.events.filter(
      ([name, what]) => name === event && (about === undefined || about === what),
    ).length;
  }

  #did(what: string, output: string): string {
    this.ran.push(what);
    return output;
  }

  /** Waits to be cancelled. */
  async #slow(what: string, signal?: AbortSignal): Promise<string> {
    this.#activate();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, LIMIT);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    });
    return this.#did(`slow ${what}`, `slow ${what}`);
  }

  #log(event: string, heard: HookEvent): void {
    const { tool, prompt, agentId, sessionId } = heard as unknown as Record<
      string,
      string | null | undefined
    >;
    this.events.push([event, tool ?? prompt ?? "", agentId ?? null]);
    this.sessions.add(sessionId ?? "");
  }
}
