/** What every event has, and the parts of events that have a type of their own. */

/** The methods of every event. */
export interface EventMethods {
  /** A copy of all fields. */
  toJSON(): Record<string, unknown>;
  /** The canonical JSON text, in snake_case; throws `payload_not_json` naming what has no JSON form. */
  toJson(): string;
}

/** The fields of every event; the engine fills in those that the host omits. */
export interface EventBase<K extends string = string> extends EventMethods {
  readonly eventType: K;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly cwd?: string;
  readonly agentId?: string;
  readonly metadata: Record<string, unknown>;
  /** What earlier hooks of the same dispatch share. */
  readonly shared?: Readonly<Record<string, unknown>>;
}

/**
 * What the engine reads of a tool call, by any name of tool and argument that it knows. These are no fields: a copy of the
 * event does not have them. What cannot be read throws `invalid_payload`.
 */
export interface CallReadings {
  /** The command line, as `commandPattern` looks at it: of several each begins a line, and without one it is empty. */
  readonly command: string;
  /** The paths in its arguments, as written, as `pathPattern` looks at them; not those of a command line. */
  readonly paths: readonly string[];
}

/** What the agent knows when a tool is about to run: the field `context` of `PreToolUse`. */
export interface PreToolUseContext {
  readonly workingDirectory?: string;
  readonly recentTools?: readonly unknown[];
  readonly tokenUsage?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A model's response in an event: the field `response` of `GenerateEnd`. */
export interface ModelResponseRecord {
  readonly text?: string;
  readonly toolCalls?: readonly unknown[];
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly duration?: number;
  readonly [field: string]: unknown;
}
