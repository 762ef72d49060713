/**
 * What is used of the NATS packages. Their own types do not hold under the strict settings of this package, and its users
 * need not have them.
 */

export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply?: string | undefined;
  readonly headers?: { readonly code: number } | undefined;
}

export interface NatsSubscription {
  /** Takes nothing new, and resolves when what came has been handed on. */
  drain(): Promise<void>;
}

export interface NatsConnection {
  readonly info?: { readonly max_payload: number } | undefined;
  /** Resolves when it is over, with the error that ended it. */
  closed(): Promise<unknown>;
  isClosed(): boolean;
  publish(subject: string, data: Uint8Array | undefined, options: { reply?: string }): void;
  subscribe(
    subject: string,
    options: { queue?: string; callback: (error: unknown, message: NatsMessage) => void },
  ): NatsSubscription;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface NatsEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly operation: string;
  /** It came after the watching began. */
  readonly isUpdate: boolean;
  /** How many entries follow. */
  readonly delta?: number | undefined;
}

export interface NatsBucket {
  watch(options: { key: string[] }): Promise<AsyncIterable<NatsEntry>>;
  keys(key: string[]): Promise<AsyncIterable<string> & { stop(): void }>;
  put(key: string, value: Uint8Array): Promise<number>;
  delete(key: string): Promise<void>;
  status(): Promise<{ readonly ttl: number }>;
}

export interface NatsTls {
  host: string;
  ca?: string;
  cert?: string;
  key?: string;
}

/** The program's NATS; it is no part of this package. */
export interface NatsPackages {
  readonly nats: {
    connect(options: Readonly<Record<string, unknown>>): Promise<NatsConnection>;
    readonly errors: { readonly AuthorizationError: abstract new (...given: never) => Error };
  };
  readonly kv: {
    readonly Kvm: new (connection: NatsConnection) => {
      create(name: string, options: { ttl: number; history: number }): Promise<NatsBucket>;
    };
  };
}
