/** The settings of an audit log, its records, and the report of a verification. */

/** How much is recorded. */
export type AuditLevel = "off" | "error" | "info" | "verbose";

/** The path of a log's file: a text with a `/` or a `.` in it. */
export type AuditPath = `${string}/${string}` | `${string}.${string}`;

/** One line of the log. */
export interface AuditRecord {
  /** From 1, without gaps. */
  readonly seq: number;
  /** `2026-11-22T08:15:00.000Z` */
  readonly time: string;
  /** For example `hook_finished`, `blocked`, `tool_run`, … */
  readonly kind: string;
  readonly session?: string;
  readonly agent?: string;
  readonly event?: string;
  /** Records of one dispatch have one number. */
  readonly dispatch?: number;
  readonly hook?: string;
  readonly hook_id?: string;
  readonly tool?: string;
  readonly tool_use_id?: string;
  readonly outcome?: string;
  readonly reason?: string;
  readonly duration_us?: number;
  readonly input?: { readonly digest: string; readonly cut?: boolean; readonly payload?: unknown };
  readonly details?: Readonly<Record<string, unknown>>;
  /** The hash of the record before. */
  readonly prev: string;
  readonly hash: string;
}

/** The settings of an audit log. */
export interface AuditOptions {
  /** Default: `info`. */
  level?: AuditLevel;
  /** What is recorded of an event's payload. Default: `digest`. */
  inputs?: "digest" | "redacted" | "full";
  /** The file that is written. */
  file?: string;
  /** When a new file begins, and how many old ones are kept. */
  rotation?: {
    /** Default: 64 MiB; `null` is no limit. */
    maxBytes?: number | null;
    /** Milliseconds. */
    maxAge?: number;
    /** How many old files are kept. Default: all. */
    keep?: number;
  };
  /** When the file is synced to disk. Default: `never`. */
  fsync?: "never" | "grouped" | "record";
  /** No decision without its record: a gate that cannot be recorded is blocked, and each waits until it is written. Needs a `file`. */
  required?: boolean;
  /** How many entries wait for the writer at most. Default: 8,192. */
  queue?: number;
  /** What is redacted before anything is hashed or written. */
  redact?: {
    /** Whether the built-in names and forms of secrets apply. Default: `true`. */
    defaults?: boolean;
    /** Names of fields whose values are secrets. */
    keys?: readonly string[];
    /** Regular expressions of secrets; with a group `secret`, only that group is redacted. */
    patterns?: readonly string[];
  };
  /** The key of digests. Default: a random one. */
  key?: string;
  /** Called with each record, in order. */
  callback?: (record: AuditRecord) => unknown;
  /** Whether records go to the client's logger. Default: only where there is no other destination. */
  log?: boolean;
}

/** Something wrong with a log. */
export interface AuditProblem {
  readonly kind: "edited" | "replaced" | "missing" | "misplaced" | "truncated";
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The number of the first record concerned, as far as it is known. */
  readonly seq: number;
  readonly what: string;
}

/** A line that its writer did not finish. */
export interface AuditTorn {
  readonly file: string;
  readonly line: number;
  readonly bytes: number;
  /** The next writer recorded it; otherwise the log may have been truncated here. */
  readonly confirmed: boolean;
}

/** The result of a verification. */
export interface AuditReport {
  /** Whether this chain and those of other processes have no problem; one without records has. */
  readonly whole: boolean;
  readonly records: number;
  readonly files: readonly string[];
  /** The last record: keep it elsewhere, and give it as anchor when the log is verified again. */
  readonly last: string | null;
  /** Whether the anchor's record is there as it was; `null` when no anchor was given. */
  readonly anchored: boolean | null;
  /** The first record that is left, when rotation removed older ones and recorded that. */
  readonly begins: number | null;
  /** Records that could not be written, as recorded in the log. */
  readonly lost: number;
  readonly torn: readonly AuditTorn[];
  /** The first place first; at most a hundred. */
  readonly problems: readonly AuditProblem[];
  /** The chains of processes that found another one writing. */
  readonly others: readonly AuditReport[];
}
