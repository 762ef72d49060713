/**
 * Hooks that rewrite agree, or are named: the laws of rechecks and of conflicting changes, in random cases.
 *
 * Rust has the same laws in `tests/rust/tests/agreement.rs`. `HOOKWEAVE_SEED` chooses other cases, `HOOKWEAVE_CASES` how many.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";

import type { Action, ClientOptions, Outcome } from "hookweave";

import { Dice, SEED } from "./support/dice.js";
import { quietClient } from "./support/tools.js";

const CASES = Number(process.env["HOOKWEAVE_CASES"] ?? 150);
const SECRET = "sk-SECRET";
const MAX_ROUNDS = 4;
const FIELDS = { PreToolUse: "args", PostToolUse: "result", GenerateEnd: "response" } as const;
const EVENTS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

type Fields = Record<string, unknown>;

/** What a hook makes of the field that may be modified. */
type Rewrite = (fields: Fields) => Fields;

const nothing: Rewrite = (fields) => fields;
const redact: Rewrite = (fields) => redacted(fields) as Fields;

function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(SECRET, "***");
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner)]));
}

function set(key: string, value: unknown): Rewrite {
  return (fields) => ({ ...fields, [key]: value });
}

function remove(key: string): Rewrite {
  return (fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));
}

function append(key: string, text: string): Rewrite {
  return (fields) => {
    const before = typeof fields[key] === "string" ? fields[key] : "";
    return { ...fields, [key]: before.endsWith(text) ? before : before + text };
  };
}

const leak = (key: string): Rewrite => set(key, `the key is ${SECRET}`);

interface Rewriter {
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly mandatory: boolean;
  readonly priority: number;
}

/** A client and one of its events; hooks answer at once, later, or some so and some so. */
interface Setting {
  readonly profile: NonNullable<ClientOptions["profile"]>;
  readonly mode: "sequential" | "parallel";
  readonly conflict: "block" | "ask" | "last";
  readonly event: keyof typeof FIELDS;
  readonly style: "sync" | "async" | "mixed";
}

function setting(dice: Dice): Setting {
  return {
    profile: dice.pick([
      "default",
      "a3s",
      "wingman",
      "cocode",
      "amplifier",
      "shadow",
      "claude-code",
    ] as const),
    mode: dice.pick(["sequential", "parallel"] as const),
    conflict: dice.pick(["block", "ask", "last"] as const),
    event: dice.pick(EVENTS),
    style: dice.pick(["sync", "async", "mixed"] as const),
  };
}

/** Whether only mandatory hooks of the event are waited for. */
function isUnawaited({ profile, event }: Setting): boolean {
  return profile === "wingman" && event === "PostToolUse";
}

/** What came of an event. */
interface Came {
  readonly decision: Action;
  readonly left: unknown;
  readonly report: string;
  readonly outcome: Outcome;
}

/** Dispatches to these hooks, none of which may look more often than the rounds allow. */
async function dispatch(where: Setting, hooks: readonly Rewriter[], fields: Fields): Promise<Came> {
  const { profile, mode, conflict, event, style } = where;
  const client = quietClient({
    profile,
    mode,
    conflict,
    maxHooksPerEvent: null,
    maxTotalHooks: null,
  });
  const field = FIELDS[event];
  const runs = new Map<string, number>();
  for (const [index, { name, rewrite, mandatory, priority }] of hooks.entries()) {
    const isAsync = style === "async" || (style === "mixed" && index % 2 === 1);
    const run = (seen: object): object => {
      runs.set(name, (runs.get(name) ?? 0) + 1);
      return { modified: { [field]: rewrite((seen as Record<string, Fields>)[field] ?? {}) } };
    };
    const handler = isAsync ? async (seen: object) => Promise.resolve(seen).then(run) : run;
    client.registerHook(event as "Stop", {
      name,
      handler: handler as unknown as (event: object) => undefined,
      config: { priority, timeout: null, ...(mandatory ? { mandatory } : {}) },
    });
  }
  const outcome = await client.dispatch(
    event as "Stop",
    {
      tool: "Bash",
      args: {},
      prompt: "p",
      model: "m",
      [field]: fields,
    } as object,
  );
  await client.close();
  const report = inspect([where, hooks, outcome.toJSON(), outcome.event], {
    depth: 9,
    breakLength: Infinity,
  });
  assert.ok(Math.max(...runs.values()) <= 1 + MAX_ROUNDS, `${inspect(runs)}: ${report}`);
  const left = (outcome.event as unknown as Fields)[field];
  return { decision: outcome.decision, left, report, outcome };
}

/** Rewriters of which each has a key of its own, so that they commute, and that do nothing the second time. */
function agreeing(dice: Dice): Rewriter[] {
  return ["a", "b", "c", "d"].map((key) => ({
    name: key,
    rewrite: dice.pick([set(key, dice.below(3)), remove(key), append(key, " -v"), nothing]),
    mandatory: dice.coin(),
    priority: dice.below(3) - 1,
  }));
}

/** Runs a law on random cases; each has dice of its own. */
function law(name: string, holds: (dice: Dice) => Promise<void>): void {
  test(name, async () => {
    for (let number = 0; number < CASES; number++) {
      try {
        await holds(new Dice(SEED + number * 7919));
      } catch (error) {
        throw new Error(`case ${String(number)} of seed ${String(SEED)}`, { cause: error });
      }
    }
  });
}

law("who can agree agrees, in every order", async (dice) => {
  const fields: Fields = { a: "one", b: "two", c: 3 };
  const where = setting(dice);
  const hooks = agreeing(dice).map((hook) => ({
    ...hook,
    mandatory: hook.mandatory || isUnawaited(where),
  }));
  const wanted = hooks.reduce((made, { rewrite }) => rewrite(made), fields);
  for (const order of [hooks, dice.shuffled(hooks)]) {
    const { decision, left, report, outcome } = await dispatch(where, order, fields);
    assert.deepEqual(left, wanted, report);
    assert.equal(decision, "continue", report);
    assert.ok(!outcome.trace.some((entry) => entry.notIdempotent), report);
  }
});

law("who cannot agree is named, and nothing of it passes", async (dice) => {
  const where = setting(dice);
  const apart = dice.below(2);
  const pair = [
    { name: "left", rewrite: set("x", 1), mandatory: true, priority: 0 },
    { name: "right", rewrite: set("x", 2), mandatory: true, priority: apart },
  ];
  const hooks = [...dice.shuffled(pair), ...agreeing(dice)];
  const { decision, left, report, outcome } = await dispatch(where, hooks, { x: "before" });
  const text = JSON.stringify([outcome.reason, outcome.messages, outcome.asks, left]);
  assert.ok(text.includes("`left`") && text.includes("`right`"), report);
  // The last change may stand: that is what was asked for, openly.
  if (where.mode === "parallel" && apart === 0 && where.conflict === "last") return;
  if (where.event === "PreToolUse") assert.match(decision, /^(block|ask)$/, report);
  else assert.match(String((left as Fields)["x"]), /^\[withheld: /, report);
});

law("a mandatory redaction is never lost", async (dice) => {
  const where = setting(dice);
  const rewrites = [
    leak("text"),
    leak("new"),
    append("text", "!"),
    set("text", 1),
    remove("text"),
    nothing,
    redact,
  ];
  const hooks = Array.from({ length: dice.below(5) }, (_, number) => ({
    name: `other-${String(number)}`,
    rewrite: dice.pick(rewrites),
    mandatory: dice.coin(),
    priority: dice.below(3) - 1,
  }));
  hooks.splice(dice.below(hooks.length + 1), 0, {
    name: "redacts",
    rewrite: redact,
    mandatory: true,
    priority: dice.below(3) - 1,
  });
  const fields = { text: `a ${SECRET} b`, list: [SECRET], deep: { deeper: SECRET } };
  const { decision, left, report } = await dispatch(where, hooks, fields);
  if (where.event === "PreToolUse" && decision === "block") return;
  assert.ok(!JSON.stringify(left).includes(SECRET), report);
  if (where.event !== "PreToolUse") return;
  for (const { name, rewrite, mandatory } of hooks) {
    const again = rewrite(left as Fields);
    assert.ok(!mandatory || isDeepStrictEqual(again, left), `${name} has more to say: ${report}`);
  }
});

law("a redaction is never lost to a neighbour, or that is reported", async (dice) => {
  const rolled = setting(dice);
  const where: Setting = isUnawaited(rolled) ? { ...rolled, profile: "default" } : rolled;
  const rewrites = [append("text", "!"), append("text", "?"), set("n", 1), nothing];
  const hooks = Array.from({ length: dice.below(4) }, (_, number) => ({
    name: `other-${String(number)}`,
    rewrite: dice.pick(rewrites),
    mandatory: dice.coin(),
    priority: 0,
  }));
  const redacts = { name: "redacts", rewrite: redact, mandatory: false, priority: 0 };
  hooks.splice(dice.below(hooks.length + 1), 0, redacts);
  const { decision, left, report, outcome } = await dispatch(where, hooks, {
    text: `a ${SECRET} b`,
  });
  if (!JSON.stringify(left).includes(SECRET)) return;
  if (where.conflict === "last") {
    const shown = outcome.messages.map(({ text }) => text).join("\n");
    assert.ok(shown.includes("`redacts`") && shown.includes("stands"), report);
    return;
  }
  // The event goes nowhere before a person has decided.
  assert.equal(where.event, "PreToolUse", report);
  assert.match(decision, /^(block|ask)$/, report);
});
