/** A client's audit log. */

import type { AuditLevel, AuditOptions, AuditRecord, AuditReport } from "./audit-types.js";
import { describe, errorOf } from "./errors.js";
import { append } from "./lists.js";
import { callListener, type GuardedLogger } from "./logging.js";
import { ownFields } from "./own-fields.js";
import {
  callNative,
  shownText,
  verifyAudit,
  type NativeClient,
  type NativeAuditQueue,
} from "./native.js";

/** How long the end of a client or of the process waits for unwritten records, in milliseconds. */
const FLUSH_TIMEOUT = 5000;

/** How many records are fetched at a time. */
const FETCH_SIZE = 256;

/** Which dispatches the log records. */
export const AuditCoverage = {
  None: 0,
  /** Those in which a hook answered or failed. */
  Eventful: 1,
  All: 2,
  /** All; those of no-op hooks as the texts that a record needs. */
  Texts: 3,
  /** All, and each hook before it starts. */
  Starts: 4,
} as const;
export type AuditCoverage = (typeof AuditCoverage)[keyof typeof AuditCoverage];

/** The levels at which something is recorded. */
const RECORDING: ReadonlySet<string> = new Set<AuditLevel>(["error", "info", "verbose"]);

type RecordListener = (record: AuditRecord) => unknown;

/** The options that a text stands for: a level, or with a `/`, `\\` or `.` in it a file. */
function ofText(text: string): AuditOptions {
  return /[/\\.]/.test(text) ? { file: text } : { level: text as AuditLevel };
}

/** The open logs, which are flushed when the process ends. */
const open = new Set<WeakRef<AuditLog>>();
let atExit = false;

/** The audit log of a client. */
export class AuditLog {
  readonly #native: NativeClient;
  readonly #logger: GuardedLogger | null;
  /** Called with the new coverage, the only thing that dispatches read. */
  readonly #onCoverage: (coverage: AuditCoverage) => void;
  readonly #self = new WeakRef(this);
  #outbox: NativeAuditQueue | null = null;
  #listeners: readonly RecordListener[] = [];

  constructor(
    native: NativeClient,
    logger: GuardedLogger | null,
    onCoverage: (coverage: AuditCoverage) => void,
  ) {
    this.#native = native;
    this.#logger = logger;
    this.#onCoverage = onCoverage;
  }

  /** Opens the log with these settings, in place of an open one. */
  configure(given: string | AuditOptions): void {
    const { callback, log, ...options } = ownFields(
      typeof given === "string" ? ofText(given) : given,
    );
    const { file, level } = ownFields(options);
    if (callback !== undefined && typeof callback !== "function")
      throw errorOf("invalid_option", "audit.callback: must be a function");
    if (log !== undefined && typeof log !== "boolean")
      throw errorOf("invalid_option", "audit.log: must be true or false");
    const listeners: RecordListener[] = callback === undefined ? [] : [callback];
    const alone = callback === undefined && file === undefined && level !== "off";
    if (log ?? alone) {
      this.#checkLogger();
      append(listeners, this.#writeToLogger);
    }
    if (this.#outbox !== null) this.close();
    this.#listeners = listeners;
    // Weak: the thread of the log must not keep the client alive.
    const self = this.#self;
    const wakeup = (): void => {
      self.deref()?.deliver();
    };
    this.#outbox = callNative(() =>
      this.#native.configureAudit(options, listeners.length > 0 ? wakeup : undefined),
    );
    this.#updateCoverage();
  }

  /** Without a logger, records would be lost while the log counts as open. */
  #checkLogger(): void {
    callNative(() => {
      this.#native.checkOpen("configure its audit log");
    });
    if (this.#logger !== null) return;
    throw errorOf(
      "invalid_option",
      "audit: the client has no logger (`logger: null`) that records could go to; give the log a `file` or a `callback`",
    );
  }

  setLevel(level: AuditLevel): void {
    if (!this.#native.auditState().goesSomewhere && RECORDING.has(level)) this.#checkLogger();
    callNative(() => {
      this.#native.setAuditLevel(level);
    });
    if (!this.#native.auditState().goesSomewhere && level !== "off") this.configure(level);
    this.#updateCoverage();
  }

  /** Waits until everything is written, and delivers the records to the callbacks. */
  flush(timeout = FLUSH_TIMEOUT): boolean {
    const written = this.#native.flushAudit(timeout);
    this.deliver();
    return written;
  }

  close(): void {
    this.#native.closeAudit(FLUSH_TIMEOUT);
    this.deliver();
    this.#outbox = null;
    this.#updateCoverage();
  }

  get state(): ReturnType<NativeClient["auditState"]> {
    return this.#native.auditState();
  }

  /** Delivers records to the callbacks. */
  deliver(): void {
    for (;;) {
      const fetched = this.#outbox?.fetch(FETCH_SIZE);
      if (fetched === undefined) return;
      if (fetched.lost > 0) {
        const { lost } = fetched;
        this.#logger?.error("records of the audit log were not delivered", { lost });
      }
      if (fetched.lines.length === 0) return;
      for (const line of fetched.lines) this.#notify(JSON.parse(line) as AuditRecord);
    }
  }

  #notify(record: AuditRecord): void {
    const failed = (error: unknown): void => {
      const details = { seq: record.seq, message: describe(error), error };
      this.#logger?.warn("the audit callback failed", details);
    };
    for (const listener of this.#listeners) callListener(listener, [record], failed);
  }

  readonly #writeToLogger = (record: AuditRecord): void => {
    const details = { ...record };
    if (record.kind === "hook_failed") this.#logger?.warn("audit", details);
    else if (record.kind === "audit_gap") this.#logger?.error("audit", details);
    else this.#logger?.record("audit", details);
  };

  #updateCoverage(): void {
    const coverage = this.#native.auditCoverage() as AuditCoverage;
    this.#onCoverage(coverage);
    if (coverage === AuditCoverage.None) {
      open.delete(this.#self);
      return;
    }
    open.add(this.#self);
    if (atExit) return;
    atExit = true;
    process.once("exit", () => {
      for (const log of open) log.deref()?.close();
    });
  }
}

/**
 * Verifies that a log is complete and unchanged, over all of its files.
 *
 * Without an anchor, records missing at the end and a log that was rewritten as a whole are not detected. Throws
 * `audit_failed` when the log cannot be read, and `invalid_option` for an anchor that is none.
 */
export function verifyAuditLog(path: string, anchor?: string | null): AuditReport {
  const given: unknown = anchor ?? undefined;
  // A value that is no text gets the same error message.
  const text = given === undefined || typeof given === "string" ? given : shownText(given);
  return JSON.parse(callNative(() => verifyAudit(path, text))) as AuditReport;
}
