// Starts the example's two programs and talks to their servers as a browser, or as an attacker, does.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = process.env.PYTHON ?? `${ROOT}/.venv/bin/python`;
const COMPILED = `${ROOT}/target/examples/approval-page`;

/** How long something that has to happen may take. */
const PATIENCE_MS = 120_000;

/** How each language's program is started. */
export const PROGRAMS = {
  Python: [PYTHON, `${ROOT}/examples/approval-page/main.py`],
  Node: [process.execPath, `${COMPILED}/main.js`],
};

/** Compiles the TypeScript program and puts the page beside it. */
export function build() {
  const script =
    "import sys; sys.path.insert(0, 'tools'); import example_programs as e; sys.exit(e.build_typescript())";
  const built = spawnSync(PYTHON, ["-c", script], { cwd: ROOT, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the examples do not compile:\n${built.stdout}${built.stderr}`);
  cpSync(`${ROOT}/examples/approval-page/page`, `${COMPILED}/page`, { recursive: true });
}

/** A running program: its link, and what it prints in the end. */
export class Agent {
  /** Starts a program and waits for its link. */
  static async start(language, ...parameters) {
    const [program, script] = PROGRAMS[language];
    const child = spawn(program, [script, ...parameters], { stdio: ["ignore", "pipe", "pipe"] });
    const agent = new Agent();
    agent.child = child;
    agent.errors = "";
    child.stderr.on("data", (text) => (agent.errors += text));
    agent.lines = [];
    agent.ended = once(child, "close").then(([code]) => code);
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, "line");
    lines.on("line", (line) => agent.lines.push(line));
    const [opened] = await Promise.race([first, agent.ended.then(() => [null])]);
    // It refuses to begin; `errors` says why.
    if (opened === null) return agent;
    agent.link = opened.replace(/^Open /, "");
    const { port, hash, origin } = new URL(agent.link);
    Object.assign(agent, { port: Number(port), token: hash.slice(1), origin });
    return agent;
  }

  /** What it printed after its link, once it has ended. */
  async end() {
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, "none: it goes on").unref());
    const code = await Promise.race([this.ended, late]);
    if (code !== 0 || this.errors !== "") throw new Error(`exit code ${code}: ${this.errors}`);
    return this.lines.slice(1);
  }

  /** Ends it, also in the middle of a request. */
  async stop() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** What the page itself sends; a test takes away or changes what it wants to. */
  get honest() {
    return {
      Host: `127.0.0.1:${this.port}`,
      Origin: this.origin,
      Authorization: `Bearer ${this.token}`,
      "Content-Type": "application/json",
    };
  }

  /** Sends one request and reads the whole answer. */
  async send(method, path, headers, body) {
    const response = await this.begin(method, path, headers, body);
    let text = "";
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, headers: response.headers, text };
  }

  /** Sends one request and gives the answer as soon as it begins. */
  begin(method, path, headers, body) {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    if (typeof body === "string" && given["Transfer-Encoding"] === undefined) {
      given["Content-Length"] ??= String(Buffer.byteLength(body));
    }
    const asked = request({ host: "127.0.0.1", port: this.port, method, path, headers: given, agent: false });
    asked.end(body);
    return new Promise((resolve, reject) => asked.on("response", resolve).on("error", reject));
  }

  /** Decides a question as the page does. */
  decide(id, option, headers = this.honest) {
    return this.send("POST", "/decide", headers, JSON.stringify({ id, option }));
  }

  /** Follows the stream of what waits, not for ever. */
  async *follow() {
    const response = await this.begin("GET", "/events", this.honest);
    setTimeout(() => response.destroy(new Error("what was waited for did not come")), PATIENCE_MS).unref();
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      const events = (text + chunk).split("\n\n");
      text = events.pop();
      for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
  }

  /** What waits, as soon as it is so many questions. */
  async waiting(count) {
    for await (const requests of this.follow()) if (requests.length === count) return requests;
    throw new Error("the stream has ended");
  }
}
