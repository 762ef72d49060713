/** What hooks made of an event as plain data, compared with a file beside the test. */

import { AssertionError } from "node:assert";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Outcome } from "../outcome.js";
import { isGeneration, isToolOutcome } from "../session-results.js";
import { outcomesOf, snapshotOf, type Judged, type Placeholder } from "./judged.js";

/** The folder beside a test in which its snapshots are. */
const FOLDER = "hookweave-snapshots";

/** What snapshots take beside the outcome. */
export interface SnapshotOptions {
  /** Texts of the test's own that differ from run to run, each with what stands for it. */
  names?: Readonly<Record<string, string>>;
  /** The test's file, such as `import.meta.url`. Default: the file that calls. */
  file?: string | URL;
}

/**
 * What hooks made of it as plain data that is the same in every run and language.
 *
 * It has no times and ids. Folders of this machine have names in it, such as `<tmp>`.
 */
export function traceSnapshot(
  outcome: Judged,
  { names = {} }: Pick<SnapshotOptions, "names"> = {},
): Record<string, unknown> {
  const given = Object.entries(names).map(([text, name]) => ({ text, name, withChild: false }));
  const events = outcomesOf(outcome).map((each) =>
    snapshotOf(each, [...given, ...placeholders(each)]),
  );
  if (isToolOutcome(outcome)) {
    const { ran, ok, decision, attempts } = outcome;
    return { ran, ok, decision, attempts, events };
  }
  if (isGeneration(outcome)) {
    return { status: outcome.status, model_calls: outcome.modelCalls, events };
  }
  return events[0] ?? {};
}

/**
 * Compares an outcome with the file `hookweave-snapshots/<test file>/<name>.json` beside the test.
 *
 * `HOOKWEAVE_UPDATE=1` in the environment writes the file.
 */
export function assertMatchesSnapshot(
  outcome: Judged,
  name: string,
  options: SnapshotOptions = {},
): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new TypeError(
      `"${name}" is no name of a snapshot: letters, digits, \`.\`, \`_\` and \`-\` are`,
    );
  }
  const test = testFile(options.file);
  const { dir, name: stem } = path.parse(test);
  const file = path.join(dir, FOLDER, stem, `${name}.json`);
  const came = `${JSON.stringify(traceSnapshot(outcome, options), null, 2)}\n`;
  if (!["", "0", undefined].includes(process.env["HOOKWEAVE_UPDATE"])) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, came);
    return;
  }
  const failed = (message: string, expected?: string): AssertionError =>
    new AssertionError({
      message,
      operator: "assertMatchesSnapshot",
      stackStartFn: assertMatchesSnapshot,
      ...(expected === undefined ? {} : { actual: came, expected }),
    });
  if (!existsSync(file)) throw failed(`there is no snapshot ${file}${HINT}\n\n${came}`);
  const expected = readFileSync(file, "utf8");
  if (came === expected) return;
  const changes = differentLines(expected, came).join("\n");
  throw failed(`it is not as in ${file}${HINT}\n\n${changes}\n\n${outcome.describe()}`, expected);
}

const HINT = "; HOOKWEAVE_UPDATE=1 writes it";

/** The lines that only one of two texts has, and one line around them, by their longest common part. */
function differentLines(expected: string, came: string): string[] {
  const [before, after] = [expected.split("\n"), came.split("\n")];
  let head = 0;
  while (head < before.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const shortest = Math.min(before.length, after.length) - head;
  while (tail < shortest && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const around = (line: string | undefined): string[] => (line === undefined ? [] : [`  ${line}`]);
  return [
    ...around(before[head - 1]),
    ...before.slice(head, before.length - tail).map((line) => `- ${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+ ${line}`),
    ...around(before[before.length - tail]),
  ];
}

/** The file of the test: the given one, or the first outside of this folder that calls. */
function testFile(given: string | URL | undefined): string {
  if (given !== undefined) return pathOf(String(given));
  const [own = "", ...others] = callers();
  const here = path.dirname(own);
  const found = others.find((file) => path.dirname(file) !== here);
  if (found === undefined) {
    throw new TypeError("the test's file cannot be found out: give `{ file: import.meta.url }`");
  }
  return found;
}

function pathOf(file: string): string {
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}

/** The files of those who call, the nearest first. */
function callers(): string[] {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  try {
    Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName());
    const files = new Error().stack as unknown as (string | null | undefined)[];
    return files.filter((file) => typeof file === "string").map((file) => pathOf(file));
  } finally {
    if (before === undefined) Reflect.deleteProperty(Error, "prepareStackTrace");
    else Object.defineProperty(Error, "prepareStackTrace", before);
  }
}

/** The texts that differ from run to run or from machine to machine. */
function placeholders(outcome: Outcome): Placeholder[] {
  const { sessionId, toolUseId } = outcome.event as { sessionId: string; toolUseId?: unknown };
  const found: Placeholder[] = [{ text: sessionId, name: "<session>", withChild: false }];
  if (typeof toolUseId === "string") {
    found.push({ text: toolUseId, name: "<call>", withChild: false });
  }
  const places = [
    [process.cwd(), "<cwd>"],
    [homedir(), "<home>"],
    [tmpdir(), "<tmp>"],
  ] as const;
  for (const [place, name] of places) {
    // A folder for temporary files is often reached by a link.
    const real = existsSync(place) ? realpathSync(place) : place;
    for (const text of new Set([place, real])) {
      found.push({ text, name, withChild: name === "<tmp>" });
    }
  }
  return found;
}
