/** The results of loading, reloading and linting files of hooks. */

import type { ClientOptions } from "./client-options.js";
import { originOf, type Dialect, type Origin, type Scope } from "./origin.js";
import { localKeys } from "./spelling.js";

/** An entry of a file that is invalid, or a likely mistake. */
export interface Problem {
  readonly file: string;
  readonly place: string;
  readonly line: number | null;
  /** From 1, in characters. */
  readonly column: number | null;
  readonly message: string;
  /** Whether the entry was left out because of it. */
  readonly fatal: boolean;
}

/** A finding of the linter; `rule` names the check. */
export interface Finding extends Problem {
  readonly rule: string;
  /** An error: a hook does not work. A warning: a likely mistake. A note: nothing has to be fixed. */
  readonly severity: "error" | "warning" | "note";
}

/** A file that was read. */
export interface FoundFile {
  readonly file: string;
  readonly dialect: Dialect;
  readonly scope: Scope;
  /** How many hooks it declares. */
  readonly hooks: number;
  readonly broken: boolean;
  readonly note: string | null;
}

/** What an approval covers: the entry as it stands in the file, its project, and the content of its scripts. */
export interface TrustedHook {
  /** `sha256:` and 64 digits. */
  readonly fingerprint: string;
  readonly project: string;
  readonly file: string;
  readonly place: string;
  readonly dialect: Dialect;
  /** The event as the file names it; empty for a switch. */
  readonly event: string;
  /** What runs, or what the switch does. */
  readonly runs: string;
  /** Milliseconds since the epoch; 0 before. */
  readonly approvedAt: number;
  /** What the fingerprint was made of: a line for the entry, and one for each file with its hash. */
  readonly covers: readonly string[];
  /** The fingerprints of earlier approvals of the same hook, which this one replaces. */
  readonly replaces: readonly string[];
}

/** A hook, or a file's switches, that counts only when a person approves it. */
export interface UntrustedHook {
  /** What `trust.approve` takes. */
  readonly approval: TrustedHook;
  readonly scope: Scope;
  readonly line: number | null;
  /** The scripts that an approval covers. */
  readonly scripts: readonly string[];
  readonly why: string;
}

/** The result of loading. */
export interface LoadReport {
  /** The ids of the hooks that are in force now, in order. */
  readonly hooks: readonly string[];
  readonly found: readonly FoundFile[];
  /** Hooks that do not run because they are not approved, or changed after their approval. */
  readonly untrusted: readonly UntrustedHook[];
  readonly problems: readonly Problem[];
  /** Client options in the files; the program decides whether to apply them. */
  readonly options: Readonly<Partial<ClientOptions> & Record<string, unknown>>;
}

/** A hook that a reload added, removed or changed. */
export interface Change {
  readonly name: string;
  readonly origin: Origin | null;
  /** Which settings it belongs to, as `ConfigChange` names them. */
  readonly source: string;
  readonly what: readonly string[];
  /** Why it may protect less than before. */
  readonly weaker: readonly string[];
}

/** The result of a reload. */
export interface ReloadReport extends LoadReport {
  readonly added: readonly Change[];
  readonly removed: readonly Change[];
  readonly changed: readonly Change[];
  /** Why old hooks stayed in force: a file that cannot be read, or a hook that blocked the change. */
  readonly kept: readonly string[];
}

/** A problem of which `String(problem)` says what is wrong and where. */
export function readable<P extends Problem>(problem: P): P {
  const { file, line, place, message } = problem;
  const where = `${file}${line === null ? "" : `:${String(line)}`}${place === "" ? "" : ` (${place})`}`;
  // Not enumerable: a report is plain data to everything that compares, copies or writes it.
  return Object.defineProperty(problem, "toString", { value: () => `${where}: ${message}` });
}

/** Reads a report from its JSON text. */
export function loadReport(text: string): LoadReport {
  return common(JSON.parse(text) as LoadReport);
}

/** Reads the report of a reload from its JSON text. */
export function reloadReport(text: string): ReloadReport {
  const report = JSON.parse(text) as ReloadReport;
  const changes = (given: readonly Change[]): Change[] =>
    given.map((change) => ({ ...change, origin: originOf(change.origin) }));
  return {
    ...common(report),
    added: changes(report.added),
    removed: changes(report.removed),
    changed: changes(report.changed),
    kept: report.kept,
  };
}

function common({ hooks, found, untrusted, problems, options }: LoadReport): LoadReport {
  return {
    hooks,
    found,
    untrusted: untrusted.map((hook) => ({
      ...hook,
      approval: localKeys(hook.approval) as unknown as TrustedHook,
    })),
    problems: problems.map(readable),
    options: localKeys(options),
  };
}
