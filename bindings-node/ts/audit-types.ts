/** How an audit log is kept, and what can be said of one. */

/** How much is recorded. */
export type AuditLevel = "off" | "error" | "info" | "verbose";

/** One line of the log. */
export interface AuditRecord {
  /** From 1, without holes. */
  readonly seq: number;
  /** `2026-11-22T08:15:00.000Z` */
  readonly time: string;
  /** What it tells: `hook_finished`, `blocked`, `tool_run`, … */
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

/** How an audit log is kept. */
export interface AuditOptions {
  /** `info` unless said. */
  level?: AuditLevel;
  /** What is recorded of an event's payload; `digest` unless said. */
  inputs?: "digest" | "redacted" | "full";
  /** The file that is written. */
  file?: string;
  /** When a new file is begun, and how many old ones are kept. */
  rotation?: {
    /** 64 MiB unless said; `null` is without limit. */
    maxBytes?: number | null;
    /** Milliseconds. */
    maxAge?: number;
    /** Old files; all unless said. */
    keep?: number;
  };
  /** When the file is told to reach the disk; `never` unless said. */
  fsync?: "never" | "grouped" | "record";
  /** No decision without its record: a gate that cannot be recorded is blocked, and each waits until it is written. */
  required?: boolean;
  /** How many happenings wait for the writer at most; 8,192 unless said. */
  queue?: number;
  /** What is blacked out before anything is hashed or written. */
  redact?: {
    /** Whether the usual names and forms of secrets count; `true` unless said. */
    defaults?: boolean;
    /** Names of fields whose values are secrets. */
    keys?: readonly string[];
    /** Regular expressions of secrets; of one with a group `secret` only that is blacked out. */
    patterns?: readonly string[];
  };
  /** The key of digests; a random one unless said. */
  key?: string;
  /** Hears each record, in order. */
  callback?: (record: AuditRecord) => unknown;
  /** Whether records go to the client's logger; only where there is no other destination unless said. */
  log?: boolean;
}

/** Something wrong with a log. */
export interface AuditProblem {
  readonly kind: "edited" | "replaced" | "missing" | "misplaced" | "truncated";
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The number of the first record concerned, as far as it can be told. */
  readonly seq: number;
  readonly what: string;
}

/** A line that its writer did not finish. */
export interface AuditTorn {
  readonly file: string;
  readonly line: number;
  readonly bytes: number;
  /** The next writer has seen the same and said so; else the log may as well have been cut off here. */
  readonly confirmed: boolean;
}

/** What can be said of a log. */
export interface AuditReport {
  /** Whether this chain and those of other processes have no problem; one without records has. */
  readonly whole: boolean;
  readonly records: number;
  readonly files: readonly string[];
  /** The last record: keep it elsewhere, and give it as anchor when the log is verified again. */
  readonly last: string | null;
  /** Whether the anchor's record is there as it was; `null` when no anchor was given. */
  readonly anchored: boolean | null;
  /** The first record that is still there, when rotation has removed older ones and said so. */
  readonly begins: number | null;
  /** Records that could not be written, as the log itself says. */
  readonly lost: number;
  readonly torn: readonly AuditTorn[];
  /** The first place first; at most a hundred. */
  readonly problems: readonly AuditProblem[];
  /** The chains of processes that found another one writing. */
  readonly others: readonly AuditReport[];
}
