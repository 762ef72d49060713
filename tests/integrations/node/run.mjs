// Compiles the tests against the frameworks of the first environment, and runs them in each, as a user of the packed package.
//
//   node run.mjs environment...
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const nodePackage = resolve(here, "../../../bindings-node");
const environments = process.argv.slice(2).map((folder) => resolve(folder));

function run(args, cwd) {
  const env = { ...process.env, CHECKS: resolve(here, "../checks.json") };
  const { status, error } = spawnSync(process.execPath, args, { cwd, env, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(1);
}

for (const environment of environments) {
  const installed = join(environment, "node_modules", "hookweave");
  rmSync(installed, { recursive: true, force: true });
  for (const part of ["package.json", "dist", "native"]) {
    cpSync(join(nodePackage, part), join(installed, part), { recursive: true });
  }
}
const [newest] = environments;
for (const file of readdirSync(here)) {
  if (/\.ts$|^tsconfig/.test(file)) cpSync(join(here, file), join(newest, file));
}
rmSync(join(newest, "build"), { recursive: true, force: true });
run([join(nodePackage, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.json"], newest);
for (const environment of environments) {
  if (environment !== newest)
    cpSync(join(newest, "build"), join(environment, "build"), { recursive: true });
  console.log(environment);
  run(["--test", "--test-reporter", "dot", "build/"], environment);
}
