// Builds the hookweave command and puts it beside the addon.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { platformName } from "../bin/platform.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const args = [
  "build",
  "--release",
  "--package",
  "hookweave-cli",
  "--message-format",
  "json-render-diagnostics",
];
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

const place = join(
  here,
  "..",
  "native",
  `${basename(program, extname(program))}.${platformName()}${extname(program)}`,
);
copyFileSync(program, place);
chmodSync(place, 0o755);
