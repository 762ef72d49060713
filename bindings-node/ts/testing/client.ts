/** Clients of tests: which hooks failed, and which failures a test expected. */

import { AssertionError } from "node:assert";

import type { ClientOptions } from "../client-options.js";
import { engineOf } from "../client-hooks.js";
import { HookClient } from "../client.js";
import type { Logger } from "../logging.js";
import type { Outcome } from "../outcome.js";
import { ownFields } from "../own-fields.js";
import type { SessionOptions } from "../session-options.js";
import type { Session } from "../session.js";

import { isExpected } from "./expected.js";
import { fail } from "./judged.js";
import { scriptedApprover, type ScriptedAnswer, type ScriptedApprover } from "./scripted.js";

/** How long hooks in the background are waited for, in milliseconds. */
const FAREWELL = 5000;

/** What a test's client takes beside what every client does. */
export interface WatchedOptions extends ClientOptions {
  /** Files of hooks to load; a mistake in one is an error. */
  load?: readonly (string | URL)[];
  /** The names of hooks that may fail, or `true` for all. */
  mayFail?: boolean | readonly string[];
}

/** What `hookSession` takes beside what every session does. */
export interface HookSessionOptions extends Omit<SessionOptions, "approval"> {
  /** What the person answers who is asked, in order. */
  approvals?: readonly ScriptedAnswer[];
}

/** A client that records unexpected failures of hooks; its disposal throws for them. */
export class WatchedClient extends HookClient {
  readonly #failed: Outcome[] = [];
  /** Failures of detached hooks, which are in no outcome. */
  readonly #late: { hook: string; message: string }[] = [];
  readonly #approvers: ScriptedApprover[] = [];
  readonly #mayFail: boolean | readonly string[];

  constructor(given: WatchedOptions = {}) {
    const { load = [], mayFail = false, logger = null, ...options } = ownFields(given);
    const onFailure = (hook: string, message: string): void => {
      this.#late.push({ hook, message });
    };
    super({ ...options, logger: recording(logger, onFailure) });
    this.#mayFail = mayFail;
    const engine = engineOf(this);
    const noted = engine.logFailures.bind(engine);
    engine.logFailures = (outcome, failures) => {
      this.#failed.push(outcome);
      noted(outcome, failures);
    };
    for (const file of load) this.load(file, { strict: true });
  }

  /** @internal Whose script has to be done at the end. */
  watchApprover(approver: ScriptedApprover): void {
    this.#approvers.push(approver);
  }

  /** No hook failed, but those that `assertFailed` expected and those that may; every question was in its script. */
  async assertNoFailures(): Promise<void> {
    await this.drain(FAREWELL);
    if (this.#mayFail !== true) {
      const may = this.#mayFail === false ? [] : this.#mayFail;
      for (const outcome of this.#failed) checkFailures(outcome, may);
      const late = this.#late.find(({ hook }) => !may.includes(hook));
      if (late !== undefined) {
        const message = `a hook failed unexpectedly in the background: \`${late.hook}\`: ${late.message}${HINT}`;
        throw new AssertionError({ message });
      }
    }
    for (const approver of this.#approvers) approver.assertDone();
  }

  /** Closes the client and throws when a hook failed unexpectedly. */
  override async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.assertNoFailures();
    } finally {
      await this.close();
    }
  }
}

const HINT = " (expect it by `assertFailed`, or let it by `mayFail`)";

function checkFailures(outcome: Outcome, may: readonly string[]): void {
  const failed = outcome.trace.filter(
    (entry) => entry.failure !== null && !may.includes(entry.hook) && !isExpected(outcome, entry),
  );
  if (failed.length === 0) return;
  const hooks = failed.map(({ hook }) => `\`${hook}\``).join(", ");
  fail(`hooks failed unexpectedly: ${hooks}${HINT}`, outcome, checkFailures);
}

/** A logger that also reports failures of detached hooks. */
function recording(
  logger: Logger | null,
  onFailure: (hook: string, message: string) => void,
): Logger {
  return {
    debug: (message, details) => logger?.debug?.(message, details),
    info: (message, details) => logger?.info?.(message, details),
    error: (message, details) => logger?.error(message, details),
    warn: (message, details) => {
      if (message === "detached hook failed") {
        onFailure(String(details["hook"]), String(details["message"]));
      }
      logger?.warn(message, details);
    },
  };
}

/** A client for one test: `await using client = hookClient()`, or close it yourself after `assertNoFailures`. */
export function hookClient(options?: WatchedOptions): WatchedClient {
  return new WatchedClient(options);
}

/** Runs a test with a client of its own; then no hook may have failed unexpectedly. */
export async function withHookClient<R>(
  body: (client: WatchedClient) => R | PromiseLike<R>,
  options?: WatchedOptions,
): Promise<R> {
  const client = new WatchedClient(options);
  try {
    const result = await body(client);
    await client.assertNoFailures();
    return result;
  } finally {
    await client.close();
  }
}

/** A session whose questions are answered by script; the client's check at the end includes the script. */
export function hookSession(
  client: WatchedClient,
  given: HookSessionOptions = {},
): Session & { readonly approver: ScriptedApprover } {
  const { approvals = [], ...options } = ownFields(given);
  const approver = scriptedApprover(...approvals);
  client.watchApprover(approver);
  return Object.assign(client.session({ ...options, approval: approver }), { approver });
}
