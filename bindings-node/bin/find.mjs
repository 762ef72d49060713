// Finds what is native in this package on a system, its addon and its command, or says what to do about it.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { PLATFORMS, commandOf, packageOf } from "./platform.mjs";

/** Of the package in a folder: `{ program }`, or `{ error }` in words with the fix. */
export function findCommand(root, name) {
  const program = findFile(root, name, commandOf(name));
  if (program !== undefined) return { program };
  const built = builtIn(root, commandOf(name));
  if (built !== undefined) return built;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    error: whyMissing(root, name, version, {
      what: "command",
      file: commandOf(name),
      otherwise: ", or `cargo install hookweave-cli`",
    }),
  };
}

/** In a checkout: what cargo built last, or how to build it; `undefined` elsewhere. */
function builtIn(root, file) {
  const checkout = join(root, "..");
  if (!existsSync(join(checkout, "cli", "Cargo.toml"))) return undefined;
  const target = process.env.CARGO_TARGET_DIR ?? join(checkout, "target");
  const folders = [
    target,
    ...Object.values(PLATFORMS).map((platform) => join(target, platform.target)),
  ];
  const [newest] = folders
    .flatMap((folder) => [join(folder, "release", file), join(folder, "debug", file)])
    .filter((program) => existsSync(program))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (newest !== undefined) return { program: newest };
  return {
    error:
      "the command is not built in this checkout; run `cargo build --release --package hookweave-cli`",
  };
}

/** A native file of the package in a folder; `undefined` where it is missing. */
export function findFile(root, name, file) {
  // Built in a checkout, or packed with it.
  const own = join(root, "native", file);
  if (existsSync(own)) return own;
  const folder = folderOf(root, packageOf(name));
  if (folder === undefined) return undefined;
  const installed = join(folder, file);
  return existsSync(installed) ? installed : undefined;
}

/** Why a native file of this version is missing on this system, and what helps. */
export function whyMissing(root, name, version, { what, file, otherwise = "" }) {
  if (!Object.hasOwn(PLATFORMS, name))
    return `there is no hookweave ${what} for ${name}; it is built for ${Object.keys(PLATFORMS).join(", ")}${otherwise}`;
  const folder = folderOf(root, packageOf(name));
  if (folder !== undefined)
    return (
      `${join(folder, file)} is missing, though the package ${packageOf(name)} is there; ` +
      "install it anew: `npm install --force hookweave`"
    );
  const others = Object.keys(PLATFORMS).filter((other) => folderOf(root, packageOf(other)));
  const install = `\`npm install ${packageOf(name)}@${version}\``;
  if (others.length > 0)
    return (
      `this system is ${name}, and what is installed is for ${others.join(", ")}: node_modules comes from another system; ` +
      `install it anew here (\`npm ci\`), or run ${install}`
    );
  return (
    `the hookweave ${what} for ${name} is not in this installation: the package ${packageOf(name)} is missing, ` +
    `as after --omit=optional or with a lock file from another system; run ${install}${otherwise}`
  );
}

/** Where a package is, seen from a folder; `undefined` where it is not installed. */
export function folderOf(root, name) {
  try {
    return dirname(createRequire(join(root, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
