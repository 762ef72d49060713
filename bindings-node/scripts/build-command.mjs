// Builds the hookweave command and puts it beside the addon.
//
//   node scripts/build-command.mjs [--target TRIPLE] [--out FOLDER] [--profile PROFILE]
//
// For this system unless a target is given, into native/ unless a folder is given, with cargo's profile `release` unless
// another is given.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { PLATFORMS, commandOf, platformName } from "../bin/platform.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    out: { type: "string" },
    profile: { type: "string", default: "release" },
  },
});
const name =
  values.target === undefined
    ? platformName()
    : Object.keys(PLATFORMS).find((known) => PLATFORMS[known].target === values.target);
if (name === undefined) {
  const known = Object.values(PLATFORMS).map(({ target }) => target);
  throw new Error(`--target ${values.target}: unknown; known are ${known.join(", ")}`);
}

const args = ["build", "--profile", values.profile, "--package", "hookweave-cli"];
args.push("--message-format", "json-render-diagnostics");
if (values.target !== undefined) args.push("--target", values.target);
const built = spawnSync(process.env.CARGO ?? "cargo", args, {
  cwd: here,
  encoding: "utf8",
  maxBuffer: 256 * 1024 * 1024,
  stdio: ["ignore", "pipe", "inherit"],
});
if (built.error) throw built.error;
if (built.status !== 0) process.exit(built.status ?? 1);

const program = built.stdout
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line))
  .find((message) => message.reason === "compiler-artifact" && message.executable)?.executable;
if (!program) throw new Error("cargo built no program of hookweave-cli");

const folder = values.out === undefined ? join(here, "..", "native") : resolve(values.out);
mkdirSync(folder, { recursive: true });
const place = join(folder, commandOf(name));
copyFileSync(program, place);
chmodSync(place, 0o755);
