/** An agent works through a list of tool calls, guarded by a policy: the TypeScript program. */

import * as fs from "node:fs";
import * as path from "node:path";
import { HookClient, HookResponse, type Handler, type Outcome } from "hookweave";

const PROJECT = "/home/dev/parcel-api";

type Args = Record<string, unknown>;
type Result =
  | { success: true; output: string; exit_code?: number; duration: number }
  | { success: false; error: string; exit_code?: number; duration: number };
interface Call {
  at: number;
  model: string;
  text: string;
  usage: { input_tokens: number; output_tokens: number };
  thought_ms: number;
  tool: string;
  tool_use_id: string;
  args: Args;
  answer?: string;
  results: Result[];
}

// --- the policy ----------------------------------------------------------------------------------

// `curl … | sh` runs what nobody has seen, and meets every rule.
const DANGEROUS = [
  "Bash(rm -r / *)",
  "Bash(rm -r ~ *)",
  "Bash(mkfs *)",
  "Bash(mkfs.*)",
  "Bash(dd of=/dev/*)",
  "Bash(chmod -R 777 *)",
];
// It calls nothing but itself: no rule names that.
const FORK_BOMB = String.raw`:\(\)\s*\{`;
const PUBLISHES = ["Bash(git push *)", "Bash(npm publish *)"];
const KEY_IN_FILE = { regex: String.raw`(?m)^\s*\w*(KEY|SECRET|TOKEN|PASSWORD)\w*[ \t]*=[ \t]*\S` };
const KEY_IN_SHELL = String.raw`(KEY|SECRET|TOKEN|PASSWORD)\w*=\S.*>\s*\S*\.env`;
const CHANGES_DATA = { regex: String.raw`(?i)\b(drop|truncate|delete|update)\b` };
const INSIDE_ADDRESS = { regex: String.raw`^https?://(169\.254\.|127\.|10\.|localhost)` };
const SECRET = /ck_(live|test)_\w{8,}/g;
const BASH_TIMEOUT_MS = 120_000;
/** Millionths of a dollar for one token in and one token out. */
const PRICES: Record<string, [number, number]> = { agent: [3, 15] };
const BUDGET = 500_000;

/** The hooks, and what they count. */
class Policy {
  cost = 0;
  tokens = 0;
  tidied = 0;
  private readonly journal: number;

  constructor(client: HookClient, private readonly folder: string) {
    this.journal = fs.openSync(path.join(folder, "log.jsonl"), "w");

    client.registerHook("PreToolUse", {
      name: "log",
      handler: (event) => this.log(event.timestamp, event.tool, "asked", subject(event.args)),
      config: { priority: -100 },
    });
    const refuse =
      (why: string): Handler<"PreToolUse"> =>
      (event) =>
        HookResponse.block(`${why}: ${subject(event.args)}`);
    client.registerHook("PreToolUse", {
      name: "danger",
      matcher: { rule: DANGEROUS },
      handler: refuse("dangerous command"),
      config: { failBehavior: "block" },
    });
    client.registerHook("PreToolUse", {
      name: "fork-bomb",
      matcher: { tool: "Bash", commandPattern: FORK_BOMB },
      handler: refuse("dangerous command"),
      config: { failBehavior: "block" },
    });
    const noKeys = refuse("a key does not belong in a file");
    client.registerHook("PreToolUse", {
      name: "env-write",
      matcher: { tool: "Write", pathPattern: ".env*", args: { content: KEY_IN_FILE } },
      handler: noKeys,
      config: { failBehavior: "block" },
    });
    client.registerHook("PreToolUse", {
      name: "env-edit",
      matcher: { tool: "Edit", pathPattern: ".env*", args: { new_string: KEY_IN_FILE } },
      handler: noKeys,
      config: { failBehavior: "block" },
    });
    client.registerHook("PreToolUse", {
      name: "env-shell",
      matcher: { tool: "Bash", commandPattern: KEY_IN_SHELL },
      handler: noKeys,
      config: { failBehavior: "block" },
    });
    client.registerHook("PreToolUse", {
      name: "network",
      matcher: { tool: "WebFetch", args: { url: INSIDE_ADDRESS } },
      handler: refuse("this address is inside the network"),
    });
    client.registerHook("PreToolUse", {
      name: "database",
      matcher: { tool: "mcp__sqlite__*", args: { sql: CHANGES_DATA } },
      handler: refuse("the agent may only read the database"),
    });
    client.registerHook("PreToolUse", {
      name: "push",
      matcher: { rule: PUBLISHES },
      // What leaves the machine is a person's decision.
      handler: (event) => HookResponse.ask(`Run \`${subject(event.args)}\`?`, { options: ["Allow once", "Deny"] }),
    });
    client.registerHook("PreToolUse", {
      name: "limit",
      matcher: { tool: "Bash" },
      // Every command gets a timeout, and none a longer one than the policy's.
      handler: (event) => {
        const timeout = Number(event.args.timeout ?? 0);
        if (timeout > 0 && timeout <= BASH_TIMEOUT_MS) return undefined;
        return HookResponse.continue({ modified: { args: { ...event.args, timeout: BASH_TIMEOUT_MS } } });
      },
      config: { priority: 10 },
    });
    client.registerHook("PreToolUse", {
      name: "reading",
      matcher: { toolPattern: "^(Read|Glob|Grep)$" },
      handler: () => HookResponse.allow(),
    });

    client.registerHook("PostToolUse", {
      name: "redact",
      matcher: { tool: "Bash|Read|Grep" },
      // Keys in a tool's output do not reach the model.
      handler: (event) => {
        const output = String(event.result.output);
        const clean = withoutSecrets(output);
        if (clean === output) return undefined;
        return HookResponse.continue({ modified: { result: { ...event.result, output: clean } } });
      },
    });
    client.registerHook("PostToolUse", {
      name: "tidy",
      matcher: { tool: "Write|Edit|NotebookEdit" },
      handler: async (event) => this.tidy(event.args),
    });
    client.registerHook("PostToolUse", {
      name: "log",
      handler: (event) => this.log(event.timestamp, event.tool, "done", `${event.result.duration} ms`),
      config: { priority: 100 },
    });
    client.registerHook("PostToolUseFailure", {
      name: "retry",
      matcher: { tool: "WebFetch" },
      // A fetch that timed out deserves a second try.
      handler: (event) =>
        String(event.error).includes("timed out") ? HookResponse.retry({ delay: 500 }) : undefined,
    });
    client.registerHook("PostToolUseFailure", {
      name: "log",
      handler: (event) => this.log(event.timestamp, event.tool, "failed", firstLine(String(event.error))),
      config: { priority: 100 },
    });
    client.registerHook("GenerateEnd", {
      name: "cost",
      handler: (event) => this.countCost(String(event.model), event.response.usage as Call["usage"]),
    });
  }

  /** Formats what was written: no trailing blanks, Unix line ends, one newline at the end. */
  private tidy(args: Args) {
    const file = inFolder(this.folder, args);
    const old = fs.readFileSync(file, "utf8");
    const lines = old.split("\n").map((line) => line.replace(/[ \t\r]+$/, ""));
    const fresh = lines.join("\n").replace(/\n+$/, "") + "\n";
    const before = old.split("\n");
    const after = fresh.split("\n");
    let changed = Math.abs(before.length - after.length);
    for (let i = 0; i < Math.min(before.length, after.length); i++) if (before[i] !== after[i]) changed++;
    if (changed === 0) return undefined;
    fs.writeFileSync(file, fresh);
    this.tidied += changed;
    const name = path.relative(path.join(this.folder, "files"), file);
    return HookResponse.continue({ message: `tidied ${changed} lines of ${name}` });
  }

  /** Adds up what the model's answers cost and speaks up once when the budget is spent. */
  private countCost(model: string, usage: Call["usage"]) {
    const [priceIn, priceOut] = PRICES[model] ?? [0, 0];
    const before = this.cost;
    this.tokens += usage.input_tokens + usage.output_tokens;
    this.cost += usage.input_tokens * priceIn + usage.output_tokens * priceOut;
    if (before > BUDGET || this.cost <= BUDGET) return undefined;
    return HookResponse.continue({ message: { text: `over budget: ${dollars(this.cost)}`, level: "warning" } });
  }

  /** Adds one line to the log of what happened. */
  private log(at: number, tool: string, what: string, detail: string): void {
    fs.writeSync(this.journal, JSON.stringify({ at, tool, what, detail }) + "\n");
  }
}

// --- the agent -----------------------------------------------------------------------------------

/** Makes the listed calls the way an agent's tool loop makes them. */
class Agent {
  outcomes: Outcome[] = [];

  constructor(private readonly client: HookClient, private readonly folder: string) {}

  /** Makes one call and says in a word what became of it. */
  async work(call: Call): Promise<string> {
    this.outcomes = [];
    const common = { sessionId: "parcel-318", timestamp: call.at, cwd: PROJECT };
    const keep = <T extends Outcome>(outcome: T): T => {
      this.outcomes.push(outcome);
      return outcome;
    };
    const response = { text: call.text, usage: call.usage, duration: call.thought_ms };
    keep(await this.client.dispatch("GenerateEnd", { ...common, prompt: "", response, model: call.model }));
    const what = { tool: call.tool, args: call.args, toolUseId: call.tool_use_id };
    const asked = keep(await this.client.dispatch("PreToolUse", { ...common, ...what }));
    if (asked.blocked) return "block";
    if (asked.decision === "ask" && call.answer === "Deny") return "ask: no";
    what.args = asked.event.args;
    let retried = false;
    for (const result of call.results) {
      carryOut(this.folder, call, what.args, result);
      if (result.success) {
        const { exit_code, ...rest } = result;
        const shown = exit_code === undefined ? rest : { ...rest, exitCode: exit_code };
        keep(await this.client.dispatch("PostToolUse", { ...common, ...what, result: shown }));
        break;
      }
      const { error, duration } = result;
      const failed = keep(
        await this.client.dispatch("PostToolUseFailure", { ...common, ...what, error, duration }),
      );
      if (failed.decision !== "retry") break;
      retried = true;
    }
    return retried ? "retry" : asked.decision === "ask" ? "ask: yes" : asked.decision;
  }
}

/** Does to the files in the folder what the tool did to the project's. */
function carryOut(folder: string, call: Call, args: Args, result: Result): void {
  if (!["Read", "Write", "Edit", "NotebookEdit"].includes(call.tool) || !result.success) return;
  const file = inFolder(folder, args);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const old = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  let fresh: string;
  if (call.tool === "Read") fresh = old || result.output;
  else if (call.tool === "Write") fresh = String(args.content);
  else if (call.tool === "Edit" && old.includes(String(args.old_string)))
    fresh = old.replace(String(args.old_string), () => String(args.new_string));
  else fresh = old + String(args.new_string ?? args.new_source ?? "");
  fs.writeFileSync(file, fresh);
}

/** Where a file of the project lies in this run. */
function inFolder(folder: string, args: Args): string {
  const name = String(args.file_path ?? args.notebook_path);
  return path.join(folder, "files", path.posix.relative(PROJECT, name));
}

// --- the table -----------------------------------------------------------------------------------

const MARKS: Record<string, string> = { block: "!", ask: "?", allow: "+", retry: "~", continue: "" };

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** What a call is about: its command, file, pattern, address or query. */
function subject(args: Args): string {
  const keys = ["command", "file_path", "notebook_path", "pattern", "url", "sql", "description", "ticket"];
  const key = keys.find((name) => name in args);
  return key === undefined ? "" : withoutSecrets(firstLine(String(args[key])));
}

/** A text without the keys that it shows. */
function withoutSecrets(text: string): string {
  return text.replace(SECRET, "[redacted]");
}

/** A text in exactly so many columns. */
function cut(text: string, width: number): string {
  return (text.length <= width ? text : text.slice(0, width - 1) + "…").padEnd(width);
}

/** Millionths of a dollar, for people. */
function dollars(cost: number): string {
  const fraction = String(Math.floor((cost % 1_000_000) / 100)).padStart(4, "0");
  return `$${Math.floor(cost / 1_000_000)}.${fraction}`;
}

/** The hooks of one dispatch with a mark for what each said. */
function hooksThatRan(outcome: Outcome): string {
  return outcome.trace
    .filter((entry) => entry.status !== "skipped")
    .map((entry) => {
      const mark = entry.status === "failed" ? "x" : MARKS[entry.action];
      return `${entry.hook}${mark}${entry.modified.length > 0 ? "*" : ""}`;
    })
    .join(" ");
}

/** What the hooks of some dispatches took together. */
function microseconds(outcomes: Outcome[]): number {
  return outcomes.flatMap((outcome) => outcome.trace).reduce((sum, entry) => sum + entry.duration, 0) * 1000;
}

/** One call of the table, with what the hooks had to say about it beneath. */
function row(number: number, call: Call, verdict: string, outcomes: Outcome[]): string {
  const ran = outcomes.map(hooksThatRan).filter((part) => part !== "").join(" | ");
  const about = subject(call.args).replace(`${PROJECT}/`, "");
  const lines = [
    `${String(number).padStart(3)} ${cut(call.tool, 9)} ${cut(about, 31)} ${cut(ran, 37)} ` +
      `${verdict.padEnd(8)} ${microseconds(outcomes).toFixed(1).padStart(7)}`,
  ];
  for (const outcome of outcomes) {
    const notes = outcome.reason === null ? [] : [outcome.reason];
    for (const { prompt } of outcome.asks) if (prompt !== null && !notes.includes(prompt)) notes.push(prompt);
    for (const message of outcome.messages) notes.push(message.text);
    for (const note of notes) lines.push(`      > ${note}`.slice(0, 100));
  }
  return lines.join("\n");
}

async function main(): Promise<void> {
  const folder = process.argv[2];
  const recorded = process.argv[3];
  if (folder === undefined || recorded === undefined) throw new Error("usage: main.js FOLDER CALLS.jsonl");
  fs.mkdirSync(folder, { recursive: true });
  const calls = fs.readFileSync(recorded, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Call);
  console.log(
    `${"#".padStart(3)} ${cut("tool", 9)} ${cut("asked", 31)} ${cut("hooks that ran", 37)} decision ${"µs".padStart(7)}`,
  );
  using client = new HookClient();
  const policy = new Policy(client, folder);
  const agent = new Agent(client, folder);
  const verdicts = new Map<string, number>();
  const lines: string[] = [];
  let dispatches = 0;
  let total = 0;
  for (const [index, call] of calls.entries()) {
    const verdict = await agent.work(call);
    const records = agent.outcomes.map((outcome) => outcome.toJSON());
    lines.push(JSON.stringify({ call: index + 1, verdict, outcomes: records }) + "\n");
    console.log(row(index + 1, call, verdict, agent.outcomes));
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    dispatches += records.length;
    total += microseconds(agent.outcomes);
  }
  fs.writeFileSync(path.join(folder, "records.jsonl"), lines.join(""));
  const [blocked, denied] = [verdicts.get("block") ?? 0, verdicts.get("ask: no") ?? 0];
  console.log(`\n${calls.length} calls: ${calls.length - blocked - denied} ran, ${blocked} blocked, ${denied} denied,`);
  console.log(
    `${verdicts.get("retry") ?? 0} retried; ${policy.tidied} lines tidied; ` +
      `${policy.tokens} tokens, ${dollars(policy.cost)};`,
  );
  console.log(`${dispatches} dispatches; their hooks took ${total.toFixed(0)} µs, file work included`);
}

await main();
