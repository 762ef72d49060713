/** A client's audit log. */

import type { AuditLevel, AuditOptions, AuditRecord, AuditReport } from "./audit-types.js";
import { describe, errorOf } from "./errors.js";
import { tellHost, type GuardedLogger } from "./logger.js";
import { crossing, shownText, verifyAudit, type NativeHooks, type NativeOutbox } from "./native.js";

/** How long the end of a client or of the process waits for what is not yet written, in milliseconds. */
const ENDING = 5000;

/** How many records are fetched at a time. */
const AT_ONCE = 256;

/** Which dispatches are told to the log. */
export const Hears = {
  Nothing: 0,
  /** Those in which a hook said something or failed. */
  Said: 1,
  All: 2,
  /** All, where texts do for the quiet ones. */
  Texts: 3,
  /** All, and each hook before it starts. */
  Starts: 4,
} as const;
export type Hears = (typeof Hears)[keyof typeof Hears];

/** The levels at which there is something to be kept. */
const KEEPING: ReadonlySet<string> = new Set<AuditLevel>(["error", "info", "verbose"]);

type Hear = (record: AuditRecord) => unknown;

/** The logs that are open, to be written to their end when the process ends. */
const open = new Set<WeakRef<AuditLog>>();
let atExit = false;

/** The audit log of a client. */
export class AuditLog {
  readonly #native: NativeHooks;
  readonly #logger: GuardedLogger | null;
  /** Called with what is heard from now on: the driver looks at nothing else. */
  readonly #heard: (hears: Hears) => void;
  readonly #self = new WeakRef(this);
  #outbox: NativeOutbox | null = null;
  #hearers: readonly Hear[] = [];

  constructor(native: NativeHooks, logger: GuardedLogger | null, heard: (hears: Hears) => void) {
    this.#native = native;
    this.#logger = logger;
    this.#heard = heard;
  }

  /** Opens the log as it is to be from now on. */
  configure(given: AuditLevel | AuditOptions): void {
    const { callback, log, ...options } = typeof given === "string" ? { level: given } : given;
    if (callback !== undefined && typeof callback !== "function")
      throw errorOf("invalid_option", "audit.callback: must be a function");
    if (log !== undefined && typeof log !== "boolean")
      throw errorOf("invalid_option", "audit.log: must be true or false");
    const hearers: Hear[] = callback === undefined ? [] : [callback];
    const alone = callback === undefined && options.file === undefined && options.level !== "off";
    if (log ?? alone) {
      this.#checkLogger();
      hearers.push(this.#log);
    }
    if (this.#outbox !== null) this.close();
    this.#hearers = hearers;
    // Holds the log weakly: its thread must not keep a client that nobody holds.
    const self = this.#self;
    const ring = (): void => {
      self.deref()?.deliver();
    };
    this.#outbox = crossing(() =>
      this.#native.configureAudit(options, hearers.length > 0 ? ring : undefined),
    );
    this.#listen();
  }

  /** Without a logger records would go nowhere while the log says that it is open. */
  #checkLogger(): void {
    crossing(() => {
      this.#native.checkOpen("configure its audit log");
    });
    if (this.#logger !== null) return;
    throw errorOf(
      "invalid_option",
      "audit: the client has no logger (`logger: null`) that records could go to; give the log a `file` or a `callback`",
    );
  }

  setLevel(level: AuditLevel): void {
    if (!this.#native.auditState().goesSomewhere && KEEPING.has(level)) this.#checkLogger();
    crossing(() => {
      this.#native.setAuditLevel(level);
    });
    if (!this.#native.auditState().goesSomewhere && level !== "off") this.configure(level);
    this.#listen();
  }

  /** Waits until all is written, and hands on what is there to be heard. */
  flush(timeout = ENDING): boolean {
    const written = this.#native.flushAudit(timeout);
    this.deliver();
    return written;
  }

  close(): void {
    this.#native.closeAudit(ENDING);
    this.deliver();
    this.#outbox = null;
    this.#listen();
  }

  get state(): ReturnType<NativeHooks["auditState"]> {
    return this.#native.auditState();
  }

  /** Hands records to those who hear them. */
  deliver(): void {
    for (;;) {
      const fetched = this.#outbox?.fetch(AT_ONCE);
      if (fetched === undefined) return;
      if (fetched.lost > 0) {
        const { lost } = fetched;
        this.#logger?.error("records of the audit log were not delivered", { lost });
      }
      if (fetched.lines.length === 0) return;
      for (const line of fetched.lines) this.#hand(JSON.parse(line) as AuditRecord);
    }
  }

  #hand(record: AuditRecord): void {
    const failed = (error: unknown): void => {
      const details = { seq: record.seq, message: describe(error), error };
      this.#logger?.warn("the audit callback failed", details);
    };
    for (const hear of this.#hearers) tellHost(hear, [record], failed);
  }

  readonly #log = (record: AuditRecord): void => {
    const details = { ...record };
    if (record.kind === "hook_failed") this.#logger?.warn("audit", details);
    else if (record.kind === "audit_gap") this.#logger?.error("audit", details);
    else this.#logger?.record("audit", details);
  };

  #listen(): void {
    const hears = this.#native.auditHears() as Hears;
    this.#heard(hears);
    if (hears === Hears.Nothing) {
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
 * Proves that a log is whole, over all of its files, or says where it is not.
 *
 * Without an anchor nobody can tell that records are missing at the end, or that everything was written anew. Throws
 * `audit_failed` when the log cannot be read, and `invalid_option` for an anchor that is none.
 */
export function verifyAuditLog(path: string, anchor?: string | null): AuditReport {
  const given: unknown = anchor ?? undefined;
  // What is no text is refused with the same words, under what it is.
  const text = given === undefined || typeof given === "string" ? given : shownText(given);
  return JSON.parse(crossing(() => verifyAudit(path, text))) as AuditReport;
}
