/** The directory of a case with files, with a web server when the case has one. */

import * as fs from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { TrustStore, type Dialect, type HookClient, type LoadReport } from "hookweave";

import { camel, isObject, misfit, type Json, type JsonObject } from "./values.js";

// Compiled tests lie in bindings-node/build-tests/support.
const corpus = fileURLToPath(new URL("../../../tests/corpus/", import.meta.url));

/**
 * The corpus in the temporary directory, copied before any command runs. Cases link to it: a script that is written while
 * a command starts is held open for writing by that command for a moment, and the system does not run it then.
 */
const scripts = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "hookweave-corpus-")));
fs.cpSync(corpus, scripts, { recursive: true });
process.once("exit", () => {
  fs.rmSync(scripts, { recursive: true, force: true });
});

/** Lists of a report that must be empty by default. */
const empty = ["problems", "untrusted"];
const lists = [...empty, "found", "added", "removed", "changed", "kept"];

/** A value with the places in its texts filled in. */
export function fill<T>(value: T, places: Record<string, string>): T {
  if (typeof value === "string") {
    return Object.entries(places).reduce<string>(
      (text, [name, place]) => text.replaceAll(name, place),
      value,
    ) as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, places)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, fill(item, places)]),
  ) as T;
}

/** What a server was asked. */
interface Asked {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  body: unknown;
}

/** A server that answers as a case says. */
function answering(answers: JsonObject, asked: Asked[]): Server {
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const text = Buffer.concat(parts).toString();
      asked.push({
        method,
        path,
        headers,
        body: text === "" ? null : JSON.parse(text),
      });
      const written = (answers[path] ?? { status: 404 }) as JsonObject;
      const { body } = written;
      setTimeout(
        () => {
          response.writeHead(
            (written["status"] ?? 200) as number,
            (written["headers"] ?? {}) as Record<string, string>,
          );
          response.end(
            body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body),
          );
        },
        (written["delay_ms"] ?? 0) as number,
      ).unref();
    });
  });
}

/** The place of one run. */
export class CaseDirectory {
  readonly #root: string;
  readonly project: string;
  readonly #trustStore: string;
  readonly #asked: Asked[] = [];
  #server: Server | null = null;
  /** What stands for what in the texts of the case. */
  readonly places: Record<string, string>;

  constructor() {
    this.#root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "hookweave-vectors-")));
    this.project = join(this.#root, "project");
    fs.mkdirSync(this.project);
    this.#trustStore = join(this.#root, "trust.json");
    this.places = { "{project}": this.project };
  }

  /** Starts a server that answers these paths. */
  async serve(answers: JsonObject): Promise<void> {
    const server = answering(fill(answers, this.places), this.#asked);
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.places["{server}"] = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  /** Takes the place away. */
  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
    fs.rmSync(this.#root, { recursive: true, force: true });
  }

  /** Writes a file: `content`, `text`, or a copy of a script of the corpus. */
  write(file: JsonObject): void {
    const script = file["corpus"] as string | undefined;
    const path = (file["path"] as string | undefined) ?? join("hooks", basename(script ?? ""));
    const target = join(this.project, path);
    fs.mkdirSync(dirname(target), { recursive: true });
    // Never written through: it may be a link to the corpus.
    fs.rmSync(target, { force: true });
    if (script !== undefined) {
      fs.linkSync(join(scripts, script), target);
      return;
    }
    const text = "content" in file ? JSON.stringify(file["content"]) : (file["text"] as string);
    fs.writeFileSync(target, text);
    if (file["executable"] === true) fs.chmodSync(target, 0o755);
  }

  remove(path: string): void {
    fs.rmSync(join(this.project, path));
  }

  /** Loads what an entry names. */
  load(client: HookClient, entry: JsonObject): LoadReport {
    const given = (names: string[]): object =>
      Object.fromEntries(names.filter((name) => name in entry).map((n) => [camel(n), entry[n]]));
    if (entry["path"] !== undefined) {
      const path = join(this.project, entry["path"] as string);
      return client.load(path, given(["dialect", "scope", "strict", "partial", "enforcement"]));
    }
    const names = [
      "sources",
      "trust",
      "on_untrusted",
      "strict",
      "partial",
      "enforcement",
      "agent",
      "plugins",
    ];
    const cwd = join(this.project, entry["discover"] as string);
    return client.discover(cwd, {
      ...given(names),
      trustStore: this.#trustStore,
    });
  }

  /** Lints what an entry names; gives where the findings are not as expected. */
  lintMisfits(client: HookClient, entry: JsonObject): string[] {
    const path = join(this.project, entry["path"] as string);
    const dialect = entry["dialect"] as Dialect | undefined;
    const found = client.lint(path, dialect === undefined ? {} : { dialect });
    const why = misfit(entry["findings"] ?? [], found, `lint ${path}`);
    return why === null ? [] : [why];
  }

  /** Approves every pending hook in the usual places of the project. */
  approve(client: HookClient, entry: JsonObject): void {
    const { untrusted } = this.load(client, { discover: ".", ...entry });
    new TrustStore(this.#trustStore).approve(untrusted);
  }

  /** Where a report is not as expected; an unexpected entry is a fault too. */
  reportMisfits(wanted: JsonObject, report: LoadReport): string[] {
    const got = report as unknown as Record<string, unknown>;
    const patterns = lists
      .filter((name) => name in wanted || empty.includes(name))
      .map((name): [string, Json] => [name, wanted[name] ?? []]);
    const options = Object.entries((wanted["options"] ?? {}) as JsonObject);
    patterns.push(["options", Object.fromEntries(options.map(([n, value]) => [camel(n), value]))]);
    return patterns.flatMap(
      ([name, pattern]) => misfit(pattern, got[name], `report.${name}`) ?? [],
    );
  }

  /** What hooks left in files, and what the server was asked, where it is not as expected. */
  misfits(expected: JsonObject, place: string): string[] {
    const bad = Object.entries((expected["saw"] ?? {}) as JsonObject).flatMap(
      ([path, pattern]) => misfit(pattern, this.#seen(path), `${place}.saw ${path}`) ?? [],
    );
    const asked = this.#asked.splice(0);
    const wanted = expected["requests"];
    const why = wanted === undefined ? null : misfit(wanted, asked, `${place}.requests`);
    return why === null ? bad : [...bad, why];
  }

  #seen(path: string): unknown {
    const file = join(this.project, path);
    if (!fs.existsSync(file)) return undefined;
    const text = fs.readFileSync(file, "utf8");
    return path.endsWith(".json") ? (JSON.parse(text) as unknown) : text.trimEnd();
  }
}
