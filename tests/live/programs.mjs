/** The agents as programs: each is installed at its locked version, and runs in a home and a project of its own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(here, "../..");
/** Nothing may wait longer for an agent. */
const LIMIT = 240_000;

/** Those of the agents that LIVE_AGENTS names, by default all. */
export function chosen(agents) {
  const names = process.env.LIVE_AGENTS?.split(/[ ,]+/).filter(Boolean) ?? [];
  return names.length === 0 ? agents : agents.filter(({ name }) => names.includes(name));
}

/** Where an agent is installed. */
export const installedAt = ({ name }) => join(ROOT, "target/live", name);

const lockOf = ({ kind, name }) =>
  readFileSync(join(here, kind, name, "package-lock.json"), "utf8");

/** Why an agent cannot be run here, or `false`. */
export function missing(agent) {
  const stamp = join(installedAt(agent), ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockOf(agent)) return false;
  return `${agent.name} is not installed; \`make test-live\` downloads it`;
}

/** Downloads an agent at its locked version; gives why it cannot be had, or `null`. */
export function install(agent) {
  if (process.platform !== "linux" || process.arch !== "x64")
    return "it is installed for Linux on x64";
  if (!missing(agent)) return null;
  const folder = installedAt(agent);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(here, agent.kind, agent.name), folder, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", ["ci", ...flags], {
    cwd: folder,
    encoding: "utf8",
    timeout: LIMIT,
  });
  if (stderr.includes("EUSAGE"))
    throw new Error(`${agent.name}: its lock file is wrong:\n${stderr}`);
  if (status !== 0) return error?.message ?? stderr;
  writeFileSync(join(folder, ".installed"), lockOf(agent));
  return null;
}

/** A home and a project for one run. */
export function place({ name }) {
  const folder = mkdtempSync(join(tmpdir(), `live-${name}-`));
  const [home, project] = ["home", "project"].map((part) => join(folder, part));
  for (const part of [home, project]) mkdirSync(part);
  return {
    folder,
    home,
    project,
    /** What a program here finds in its environment. */
    environment: {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      HOME: home,
      TMPDIR: folder,
      NO_COLOR: "1",
    },
    write: (path, content) => write(join(project, path), content),
    has: (path) => existsSync(join(project, path)),
    read: (path) => readFileSync(join(project, path), "utf8"),
    delete: (path) => rmSync(join(project, path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program in a place to its end, and ends what it left running. */
export async function start({ project, environment }, [program, words], variables = {}) {
  const child = spawn(program, words, {
    cwd: project,
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  const limit = setTimeout(end, LIMIT);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece) => (output += piece));
  }
  child.once("exit", end);
  const [code] = await once(child, "close");
  clearTimeout(limit);
  return { code, output };
}

/** Writes a text, or a value as JSON. */
export function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}
