/** The conversation of a session, and where it is kept. */

/** Who speaks in a message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** A message of the conversation. */
export interface ContextMessage {
  readonly role: Role;
  /** A text, a model's response, or a tool's result. */
  readonly content: unknown;
  /** Where it comes from: `source`, and for what hooks say `hookName`, `event` and `timestamp`. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Keeps a conversation. */
export interface Context {
  /** The conversation for the model; a context that has none to show leaves that to the host. */
  readonly messages?: Iterable<ContextMessage>;
  /** Takes a message in. What it throws is shown to the user and stops nothing. */
  addMessage(
    role: Role,
    content: unknown,
    metadata: Readonly<Record<string, unknown>>,
  ): void | PromiseLike<void>;
  /** Takes a shorter conversation in its place; a context that shows messages and cannot is never made shorter. */
  replaceMessages?(messages: readonly ContextMessage[]): void | PromiseLike<void>;
}

/** A conversation in memory; what a session keeps that was given no other context. */
export class Messages implements Context {
  readonly messages: ContextMessage[] = [];

  addMessage(role: Role, content: unknown, metadata: Readonly<Record<string, unknown>>): void {
    this.messages.push({ role, content, metadata });
  }

  replaceMessages(messages: readonly ContextMessage[]): void {
    this.messages.splice(0, this.messages.length, ...messages);
  }
}
