/** A web page on which a person approves what an agent wants to do, served to this machine alone. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HookweaveError, type ApprovalRequest } from "hookweave";

const FILES: Record<string, readonly [string, string]> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
};
// Nothing but its own three files, no markup made by scripts, never framed and never cached.
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};
const LOOK_MS = 100;
const HEARTBEAT_MS = 15_000;
/** Cuts off requests that are in progress. */
const CLOSE_MS = 1000;
const MOST_STREAMS = 32;
const MOST_BODY_BYTES = 4096;

/** Where questions wait: a session with `approval: "pending"`, or what stands for several of them. */
export interface Waiting {
  pending(): ApprovalRequest[];
  decide(id: string, option: string): void;
}

export interface PageOptions {
  /** A free one unless said. */
  port?: number;
  /** Further addresses under which a browser may come, such as the `https://…` of a tunnel. */
  origins?: readonly string[];
}

/** What is refused, with a status. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Serves the page until it is closed: `await using page = await ApprovalPage.open(session);`. */
export class ApprovalPage implements AsyncDisposable {
  readonly #token = randomBytes(32).toString("base64url");
  readonly #files = new Map<string, { content: Buffer; kind: string }>();
  /** Each open page, and the questions that it was told of last. */
  readonly #streams = new Map<ServerResponse, string | null>();
  readonly #server = createServer(
    { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        const status = error instanceof Refusal ? error.status : 500;
        const why = error instanceof Refusal ? error.message : "the page failed";
        send(response, status, JSON.stringify({ error: why }), "application/json");
      });
    },
  );
  #requests: readonly ApprovalRequest[] = [];
  #deadlines = new Map<string, number>();
  #origins = new Set<string>();
  #timers: NodeJS.Timeout[] = [];

  private constructor(private readonly waiting: Waiting) {
    for (const [path, [name, kind]] of Object.entries(FILES)) {
      this.#files.set(path, { content: readFileSync(new URL(`page/${name}`, import.meta.url)), kind });
    }
  }

  static async open(waiting: Waiting, { port = 0, origins = [] }: PageOptions = {}): Promise<ApprovalPage> {
    const foreign = origins.map(checkedOrigin);
    const page = new ApprovalPage(waiting);
    // Never another address: any client with the token can decide.
    page.#server.listen(port, "127.0.0.1");
    await once(page.#server, "listening");
    const local = ["127.0.0.1", "localhost"].map((name) => `http://${name}:${page.#port}`);
    page.#origins = new Set([...local, ...foreign]);
    page.#timers = [setInterval(() => page.#look(), LOOK_MS), setInterval(() => page.#beat(), HEARTBEAT_MS)];
    return page;
  }

  /** What a person opens. What is behind the `#` is sent to no server and stands in no log. */
  get link(): string {
    return `http://127.0.0.1:${this.#port}/#${this.#token}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#streams.keys()) stream.end();
    const late = setTimeout(() => this.#server.closeAllConnections(), CLOSE_MS);
    this.#server.close();
    await once(this.#server, "close");
    clearTimeout(late);
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Tells the streams when something came or went, and notes since when a question waits. */
  #look(): void {
    this.#requests = this.waiting.pending();
    const now = performance.now();
    const due = ({ id, timeout }: ApprovalRequest): number => this.#deadlines.get(id) ?? now + timeout;
    this.#deadlines = new Map(this.#requests.map((request) => [request.id, due(request)]));
    const ids = this.#requests.map(({ id }) => id).join();
    for (const [stream, shown] of this.#streams) {
      // Who reads slowly is told what there is then, not all that was.
      if (shown === ids || stream.writableNeedDrain) continue;
      stream.write(`data: ${JSON.stringify(this.#snapshot(now))}\n\n`);
      this.#streams.set(stream, ids);
    }
  }

  #beat(): void {
    for (const stream of this.#streams.keys()) if (!stream.writableNeedDrain) stream.write(": still here\n\n");
  }

  /** What waits, as the page gets it: the engine's texts, in which nothing is left that a screen would obey. */
  #snapshot(now: number): object[] {
    return this.#requests.map(({ sessionId, agentId, toolUseId: _call, args: _args, timeout: _timeout, ...view }) => {
      const left = Math.trunc((this.#deadlines.get(view.id) ?? now) - now);
      return { ...view, session: sessionId, agent: agentId, left_ms: Math.max(0, left) };
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split("?")[0] ?? "";
    if (request.method === "POST") return this.#post(path, request, response);
    if (request.method !== "GET") throw new Refusal(501, "nothing is done that way");
    this.#checkItIsForUs(request);
    const file = this.#files.get(path);
    if (file !== undefined) return send(response, 200, file.content, file.kind);
    if (path !== "/events") throw new Refusal(404, "there is no such page");
    this.#checkToken(request);
    this.#stream(response);
  }

  /** A decision. */
  async #post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // What may be left unread is not the next request.
    response.shouldKeepAlive = false;
    const body = await bodyOf(request);
    this.#checkItIsForUs(request);
    this.#checkToken(request);
    if (path !== "/decide") throw new Refusal(404, "there is no such page");
    if (request.headers.origin === undefined) throw new Refusal(403, "a decision has to come from the page");
    if (request.headers["content-type"]?.split(";")[0] !== "application/json") {
      throw new Refusal(415, "a decision is JSON");
    }
    const { id, option } = decisionIn(body);
    try {
      this.waiting.decide(id, option);
    } catch (error) {
      // Decided elsewhere, too late, or never asked.
      if (error instanceof HookweaveError) throw new Refusal(409, error.message);
      throw error;
    }
    send(response, 200, "{}", "application/json");
  }

  /** Refuses other names for this machine (a foreign page may have one made for it) and foreign pages. */
  #checkItIsForUs({ headers: { host, origin } }: IncomingMessage): void {
    const hosts = [...this.#origins].map((known) => new URL(known).host);
    if (host !== undefined && hosts.includes(host) && (origin === undefined || this.#origins.has(origin))) return;
    throw new Refusal(403, "this page is not for others");
  }

  #checkToken({ headers }: IncomingMessage): void {
    const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
    if (timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${this.#token}`))) return;
    throw new Refusal(401, "open the link that the agent printed");
  }

  #stream(response: ServerResponse): void {
    if (this.#streams.size >= MOST_STREAMS) throw new Refusal(503, "too many pages are open");
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream", Connection: "close" });
    response.flushHeaders();
    this.#streams.set(response, null);
    response.on("close", () => this.#streams.delete(response));
    this.#look();
  }
}

/** An origin as browsers send it. */
function checkedOrigin(given: string): string {
  if (/^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given) return given;
  throw new Error(`\`${given}\` is no origin; write it as https://laptop.example, without a path`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const length = request.headers["content-length"] ?? "";
  if (!/^\d+$/.test(length)) throw new Refusal(411, "the length is missing");
  if (Number(length) > MOST_BODY_BYTES) throw new Refusal(413, "a decision is short");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function decisionIn(body: string): { id: string; option: string } {
  try {
    const { id, option } = JSON.parse(body) as { id?: unknown; option?: unknown };
    if (typeof id === "string" && typeof option === "string") return { id, option };
  } catch {
    // Told below.
  }
  throw new Refusal(400, "a decision has an id and an option");
}

function send(response: ServerResponse, status: number, content: string | Buffer, kind: string): void {
  const length = { "Content-Type": kind, "Content-Length": Buffer.byteLength(content) };
  response.writeHead(status, { ...HEADERS, ...length }).end(content);
}
