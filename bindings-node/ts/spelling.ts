/** How this language spells the engine's own names, and back: `sessionId` is `session_id` on every wire. */

import { catalogue, commonFields } from "./native.js";
import { setField } from "./values.js";

/** Spellings that have been worked out; hostile payloads could ask for new ones without end. */
const spelled = new Map<string, string>();
const MAX_SPELLED = 1024;

/** `toolUseId` for `tool_use_id`. */
export function localName(canonical: string): string {
  let name = spelled.get(canonical);
  if (name === undefined) {
    name = canonical.replace(/_([a-z0-9])/g, (_, completion: string) => completion.toUpperCase());
    if (spelled.size < MAX_SPELLED) spelled.set(canonical, name);
  }
  return name;
}

/** `tool_use_id` for `toolUseId`. */
function canonical(name: string): string {
  return name.replace(/[A-Z]/g, (completion) => `_${completion.toLowerCase()}`);
}

interface EventNames {
  /** The canonical name of each field that the catalogue knows. */
  readonly fields: ReadonlyMap<string, string>;
  /** The same the other way round. */
  readonly locals: ReadonlyMap<string, string>;
  /** Fields whose own fields belong to the catalogue too. */
  readonly records: ReadonlySet<string>;
}

let byEvent: Map<string, EventNames> | null = null;
let custom: EventNames | null = null;

function namesOf(event: string): EventNames {
  if (byEvent === null || custom === null) {
    const common = commonFields();
    custom = known(common);
    byEvent = new Map(catalogue().map(({ name, fields }) => [name, known([...common, ...fields])]));
  }
  return byEvent.get(event) ?? custom;
}

function known(fields: readonly { name: string; canonical: string; kind: string }[]): EventNames {
  return {
    fields: new Map(fields.map((field) => [field.name, field.canonical])),
    locals: new Map(fields.map((field) => [field.canonical, field.name])),
    records: new Set(fields.filter(({ kind }) => kind === "record").map((field) => field.name)),
  };
}

/** An event's fields in the canonical spelling; what is inside `args`, `metadata` and the like keeps its own. */
export function canonicalFields(
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = namesOf(event);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      names.fields.get(name) ?? name,
      names.records.has(name) && typeof value === "object" && value !== null
        ? canonicalKeys(value)
        : value,
    ]),
  );
}

/** Canonical fields of an event in this language's spelling; the other way round than `canonicalFields`. */
export function localFields(event: string, fields: object): Record<string, unknown> {
  const { locals, records } = namesOf(event);
  const result: Record<string, unknown> = {};
  for (const canonical of Object.keys(fields)) {
    const value = (fields as Record<string, unknown>)[canonical];
    const name = locals.get(canonical) ?? canonical;
    const isRecord = records.has(name) && typeof value === "object" && value !== null;
    setField(result, name, isRecord ? localKeys(value) : value);
  }
  return result;
}

/** Canonical fields of an event whose own fields are in this language's spelling; the core knows either at the top. */
export function localRecords(event: string, fields: object): Record<string, unknown> {
  const { records } = namesOf(event);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      records.has(localName(name)) && typeof value === "object" && value !== null
        ? localKeys(value)
        : value,
    ]),
  );
}

/** An object in the canonical spelling, its values untouched. */
export function canonicalKeys(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [canonical(name), value]),
  );
}

/** An object of the engine's in this language's spelling, its values untouched. */
export function localKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]): [string, unknown] => [localName(name), value]),
  );
}

/** An answer as the core writes it in this language's spelling. */
export function localAnswer(event: string, answer: object): Record<string, unknown> {
  const { delay_ms: delay, ask, modified, ...rest } = answer as Record<string, unknown>;
  const isObject = (part: unknown): part is object => typeof part === "object" && part !== null;
  return {
    ...localKeys(rest),
    ...(delay === undefined ? {} : { delay }),
    ...(isObject(ask) ? { ask: localAsk(ask) } : {}),
    ...(isObject(modified) ? { modified: localFields(event, modified) } : {}),
  };
}

/** An answer of a hook as the core writes it; the other way round than `localAnswer`. */
export function canonicalAnswer(event: string, answer: object): Record<string, unknown> {
  const { delay, ask, modified, ...rest } = answer as Record<string, unknown>;
  const isObject = (part: unknown): part is object => typeof part === "object" && part !== null;
  return {
    ...canonicalKeys(rest),
    ...(delay === undefined ? {} : { delay_ms: delay }),
    ...(ask === undefined ? {} : { ask: isObject(ask) ? canonicalAsk(ask) : ask }),
    // What a program spells canonically stays so.
    ...(isObject(modified)
      ? { modified: canonicalFields(event, localFields(event, modified)) }
      : {}),
  };
}

function canonicalAsk(ask: object): object {
  const { timeout, ...rest } = ask as Record<string, unknown>;
  return timeout === undefined ? rest : { ...rest, timeout_ms: timeout };
}

function localAsk(ask: object): object {
  const { timeout_ms: timeout, ...rest } = ask as Record<string, unknown>;
  return timeout === undefined ? rest : { ...rest, timeout };
}
