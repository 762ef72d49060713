// Writes ts/events.ts from the engine's catalogue, so that no list of events is typed twice.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

import { format, resolveConfig } from "prettier";

import { addonOf, platformName } from "../bin/platform.mjs";

const target = new URL("../ts/events.ts", import.meta.url);
const native = createRequire(import.meta.url)(`../native/${addonOf(platformName())}`);

/** The types of fields that are records. */
const records = {
  context: "PreToolUseContext",
  result: "ToolResult",
  response: "ModelResponseRecord",
};
function typeOf({ name, kind }) {
  if (kind === "record") {
    if (!(name in records))
      throw new Error(`the record \`${name}\` needs a type, and an import of it below`);
    return records[name];
  }
  return {
    any: "unknown",
    string: "string",
    number: "number",
    boolean: "boolean",
    list: "readonly unknown[]",
    object: "Record<string, unknown>",
  }[kind];
}

const events = native.catalogue();
const lines = [
  "/** The known events and what each carries. Written by scripts/write-events.mjs; do not edit. */",
  'import type { CallReadings, EventBase, ModelResponseRecord, PreToolUseContext } from "./event-base.js";',
  'import type { ToolResult } from "./tool-result.js";',
];
for (const event of events) {
  const isCall = event.fields.some(({ name }) => name === "args");
  const names = [event.name, ...event.aliases].map((name) => `\`${name}\``).join(", ");
  lines.push(
    `/** ${names}: ${event.gate ? "a gate, so that a block stops the action" : "not a gate, so that a block is feedback"}. */`,
    `export interface ${event.name}Event extends EventBase<"${event.name}">${isCall ? ", CallReadings" : ""} {`,
    ...event.fields.map(
      (field) => `  readonly ${field.name}${field.optional ? "?" : ""}: ${typeOf(field)};`,
    ),
    "}",
  );
}
lines.push(
  "/** The event of each name; a program adds its own by declaration merging. */",
  "export interface EventMap {",
  ...events.map(({ name }) => `  ${name}: ${name}Event;`),
  "}",
  "/** The fields of each event that hooks may replace. */",
  "export interface ModifiableMap {",
  ...events.flatMap(({ name, fields }) => {
    const modifiable = fields.filter((field) => field.modifiable).map((field) => `"${field.name}"`);
    return modifiable.length === 0 ? [] : [`  ${name}: ${modifiable.join(" | ")};`];
  }),
  "}",
  "/** Other names of the events. */",
  "export interface AliasMap {",
  ...events.flatMap(({ name, aliases }) => aliases.map((alias) => `  "${alias}": "${name}";`)),
  "}",
);

const text = await format(lines.join("\n"), {
  ...(await resolveConfig(target)),
  filepath: target.pathname,
});
let before = "";
try {
  before = readFileSync(target, "utf8");
} catch {
  // The first time there is nothing to compare with.
}
if (text !== before) writeFileSync(target, text);
