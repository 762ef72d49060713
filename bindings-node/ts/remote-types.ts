/** What `serve` and `connect` take, and what they tell. */

/** What workers may do; a block always counts. */
export interface Grants {
  /** The events that they may have hooks on. Default: every event. */
  readonly events?: readonly string[];
  /** The lowest priority that their hooks may have: lower ones run earlier. Default: any. */
  readonly earliestPriority?: number;
  /** Whether their `allow` and `skip` count; else both are `continue`. Default: false. */
  readonly allow?: boolean;
  /** Whether they may change events. Default: true. */
  readonly modify?: boolean;
  /** Whether they may have a person asked. Default: true. */
  readonly ask?: boolean;
  /** Whether their hooks may be mandatory. Default: false. */
  readonly mandatory?: boolean;
  /** Whether their hooks may be managed. Default: false. */
  readonly managed?: boolean;
}

/** Keys and certificates in PEM, each the path of a file or its bytes. */
export interface RemoteTls {
  /** Who is trusted. A worker without it trusts the usual authorities; an agent with it wants certificates of workers. */
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

/** What both ends of a connection take. */
export interface RemoteOptions {
  /** A secret that both ends know; for `nats://` one that the server knows. */
  readonly token?: string;
  /** Events that a worker has at once; the lower bound of both ends counts. Default: 64. */
  readonly inFlight?: number;
  /** Bytes of a message. Default: 4 MiB. */
  readonly maxMessage?: number;
  /** Milliseconds of silence before the other side is asked whether it is there. Default: 15,000. */
  readonly keepalive?: number;
  /** For `grpcs://` and `nats://`; empty takes the usual authorities. */
  readonly tls?: RemoteTls;
  /** Allows `grpc://`, and `nats://` without `tls`, to other machines, where anybody on the way can read and change what is sent. */
  readonly insecure?: boolean;
}

/** What `serve` takes. */
export interface ServeOptions extends RemoteOptions {
  /** For `nats://`: the groups whose workers' hooks are taken. */
  readonly groups?: readonly string[];
  /** What workers may do. */
  readonly grants?: Grants;
  /** Events that wait for a worker that has as many as it takes. Default: 1,024. */
  readonly queue?: number;
  /** Hooks of one worker. Default: 1,000. */
  readonly maxHooks?: number;
  /** Workers at once. Default: 1,000. */
  readonly maxWorkers?: number;
}

/** What `connect` takes. */
export interface ConnectOptions extends RemoteOptions {
  /** The worker's name, the same after a restart; one worker of a name is connected at a time. Default: the program's. */
  readonly name?: string;
  /** For `nats://`: the group that the worker is in; its workers share the events of their hooks. */
  readonly group?: string;
}

/** How a worker stands with its agent: it registers its hooks, has all of them in force, connects again later, or ended. */
export type RemoteState = "connecting" | "ready" | "waiting" | "closed";

/** A worker, as its agent knows it. */
export interface WorkerInfo {
  readonly name: string;
  readonly connected: boolean;
  /** Why it is not connected; empty where it is. */
  readonly lost: string;
  /** How many hooks it has in the client. */
  readonly hooks: number;
}
