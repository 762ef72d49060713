/** What a transport of remote hooks is: it carries messages, and knows nothing of what they say. */

/** One end of a connection. */
export interface Channel {
  /** Sends a message; false where the other side does not read what is sent. */
  send(message: Uint8Array): boolean;
  /** Ends the connection when all is sent. */
  end(): Promise<void>;
  /** Ends it at once. */
  destroy(): void;
}

/** Receives what comes of a connection; nothing after `unreadable` or `lost` is looked at. */
export interface Arrivals {
  message(bytes: Uint8Array): void;
  /** The stream cannot be read any further. */
  unreadable(why: string): void;
  lost(why: string): void;
}

/** An open address. */
export interface Listening {
  /** With the port, where the system has chosen one. */
  readonly address: string;
  /** Takes no more connections; those that are there are ended by their channels. */
  close(): Promise<void>;
}

/** A way to agents. */
export interface Transport {
  /** Opens an address; `failed` is told where one connection was not accepted. Throws `invalid_option`. */
  listen(accept: (channel: Channel) => Arrivals, failed: (why: string) => void): Promise<Listening>;
  /** Throws `invalid_option` for what no later attempt would make better. */
  check(): Promise<void>;
  /** Connects; rejects where nobody listens. */
  connect(arrivals: Arrivals): Promise<Channel>;
}

/** Bytes that may wait to be written; a side that does not read them is lost. */
export const MAX_UNWRITTEN = 64 * 1024 * 1024;

/** Milliseconds that the last messages may take at the end. */
export const LAST_WORDS = 5000;
