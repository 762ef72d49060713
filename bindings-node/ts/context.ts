/** The conversation of a session, and where it is kept. */

/** Who speaks in a message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** A message of the conversation. */
export interface ContextMessage {
  readonly role: Role;
  /** A text, a model's response, or a tool's result. */
  readonly content: unknown;
  /** Its `source`, and for context from hooks `hookName`, `event` and `timestamp`. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Stores a conversation. */
export interface Context {
  /** The conversation for the model; absent where the host passes it to the model itself. */
  readonly messages?: Iterable<ContextMessage>;
  /** Adds a message. Its errors are shown to the user and stop nothing. */
  addMessage(
    role: Role,
    content: unknown,
    metadata: Readonly<Record<string, unknown>>,
  ): void | PromiseLike<void>;
  /** Replaces the conversation with a shorter one; without this method it is never compacted. */
  replaceMessages?(messages: readonly ContextMessage[]): void | PromiseLike<void>;
}

/** A conversation in memory; the default context of a session. */
export class Messages implements Context {
  readonly messages: ContextMessage[] = [];

  addMessage(role: Role, content: unknown, metadata: Readonly<Record<string, unknown>>): void {
    this.messages.push({ role, content, metadata });
  }

  replaceMessages(messages: readonly ContextMessage[]): void {
    this.messages.splice(0, this.messages.length, ...messages);
  }
}
