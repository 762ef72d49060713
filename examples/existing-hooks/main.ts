/** An agent runs the hooks of an unchanged `.claude/settings.json`: the TypeScript program. */

import * as fs from "node:fs";
import * as path from "node:path";
import { HookClient, type EventName, type Outcome } from "hookweave";

interface Raised {
  event: string;
  payload: { tool_use_id?: string; tool?: string; args?: Record<string, unknown>; prompt?: string; result?: Result };
}
interface Result {
  success: boolean;
  output: string;
  exit_code?: number;
  duration: number;
}

/** Loads the project's hooks, raises the events and prints what the hooks made of them. */
async function main(): Promise<void> {
  const [, , given, listed] = process.argv;
  if (given === undefined || listed === undefined) throw new Error("usage: main.js FOLDER EVENTS.jsonl");
  const folder = fs.realpathSync(given);
  // A copy that the hooks may write into.
  const project = path.join(folder, "project");
  const events = fs.readFileSync(listed, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Raised);

  const decisions = new Map<string, number>();
  const records: string[] = [];
  let total = 0;
  await using client = new HookClient({ projectDir: project });
  const loaded = client.load(path.join(project, ".claude", "settings.json"));
  for (const problem of loaded.problems) console.log(`${problem.file}: ${problem.place}: ${problem.message}`);
  console.log(`${loaded.hooks.length} hooks of ${loaded.found[0]?.dialect}\n`);
  console.log(
    `${"#".padStart(3)} ${cut("event", 16)} ${cut("tool", 5)} ${cut("about", 28)} ${cut("hooks that ran", 27)} ` +
      `decision ${"ms".padStart(7)}`,
  );
  for (const [index, raised] of events.entries()) {
    const common = { sessionId: "parcel-318", timestamp: 1_764_000_000_000, cwd: project };
    const outcome = await client.dispatch(raised.event as EventName, { ...common, ...inTypeScript(raised.payload) });
    records.push(JSON.stringify({ event: index + 1, outcome: outcome.toJSON() }) + "\n");
    console.log(row(index + 1, raised, outcome));
    decisions.set(outcome.decision, (decisions.get(outcome.decision) ?? 0) + 1);
    total += milliseconds(outcome);
  }
  fs.writeFileSync(path.join(folder, "records.jsonl"), records.join(""));
  const count = (decision: string) => decisions.get(decision) ?? 0;
  console.log(
    `\n${events.length} events: ${count("continue")} go on, ${count("block")} blocked, ${count("ask")} for a person;`,
  );
  console.log(`their hooks took ${total.toFixed(0)} ms`);
}

/** A payload as TypeScript spells it. */
function inTypeScript({ tool_use_id: toolUseId, result, ...rest }: Raised["payload"]) {
  if (result === undefined) return { toolUseId, ...rest };
  const { exit_code: exitCode, ...shown } = result;
  return { toolUseId, ...rest, result: exitCode === undefined ? shown : { ...shown, exitCode } };
}

// --- the table -----------------------------------------------------------------------------------

const MARKS: Record<string, string> = { block: "!", ask: "?", allow: "+" };

/** One event of the table, with what each hook said beneath. */
function row(number: number, { event, payload }: Raised, outcome: Outcome): string {
  const about = String(payload.args?.command ?? payload.args?.file_path ?? payload.prompt ?? "");
  const line =
    `${String(number).padStart(3)} ${cut(event, 16)} ${cut(payload.tool ?? "", 5)} ${cut(about, 28)} ` +
    `${cut(hooksThatRan(outcome), 27)} ${outcome.decision.padEnd(8)} ${milliseconds(outcome).toFixed(1).padStart(7)}`;
  return [line, ...notes(outcome).map((note) => `      > ${note}`.slice(0, 100))].join("\n");
}

/** The hooks of one dispatch with a mark for what each said. */
function hooksThatRan(outcome: Outcome): string {
  const names = outcome.trace.map((entry) => {
    const mark = entry.status === "failed" ? "x" : (MARKS[entry.action] ?? "");
    return `${entry.hook}${mark}${entry.modified.length > 0 ? "*" : ""}`;
  });
  return names.join(" ");
}

/** What hooks decided, added, rewrote or failed at. */
function notes(outcome: Outcome): string[] {
  const found = outcome.votes.map((vote) => `${vote.hook}: ${vote.reason}`);
  for (const added of outcome.injections) found.push(`${added.hook} adds: ${added.content}`);
  const event = outcome.event as unknown as Record<string, unknown>;
  for (const { hook, modified, failure } of outcome.trace) {
    for (const name of modified) found.push(`${hook} rewrites ${name}: ${JSON.stringify(event[name])}`);
    if (failure) found.push(`${hook} failed: ${failure.message}`);
  }
  return found;
}

/** What the hooks of one dispatch took together. */
function milliseconds(outcome: Outcome): number {
  return outcome.trace.reduce((sum, entry) => sum + entry.duration, 0);
}

/** A text in exactly so many columns. */
function cut(text: string, width: number): string {
  return (text.length <= width ? text : text.slice(0, width - 1) + "…").padEnd(width);
}

await main();
