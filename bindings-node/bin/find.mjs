// Finds the native command of this system, or says what to do about it.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { PLATFORMS, commandOf, packageOf } from "./platform.mjs";

/** Of the package in a folder: `{ program }`, or `{ error }` in words with the fix. */
export function findCommand(root, name) {
  const own = join(root, "native", commandOf(name));
  // Built in a checkout, or packed with it.
  if (existsSync(own)) return { program: own };
  const folder = folderOf(root, packageOf(name));
  if (folder !== undefined) {
    const program = join(folder, commandOf(name));
    if (existsSync(program)) return { program };
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return {
      error:
        `${program} is missing, though the package ${packageOf(name)} ${version} is there; ` +
        "install it anew: `npm install --force hookweave`",
    };
  }
  return { error: missing(root, name) };
}

function missing(root, name) {
  const otherwise = "or `cargo install hookweave-cli`";
  if (!Object.hasOwn(PLATFORMS, name))
    return `there is no hookweave command for ${name}; it is built for ${Object.keys(PLATFORMS).join(", ")}; ${otherwise}`;
  const others = Object.keys(PLATFORMS).filter((other) => folderOf(root, packageOf(other)));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const install = `\`npm install ${packageOf(name)}@${version}\``;
  if (others.length > 0)
    return (
      `this system is ${name}, and what is installed is for ${others.join(", ")}: node_modules comes from another system; ` +
      `install it anew here (\`npm ci\`), or run ${install}`
    );
  return (
    `the hookweave command for ${name} is not in this installation: the package ${packageOf(name)} is missing, ` +
    `as after --omit=optional or with a lock file from another system; run ${install}, ${otherwise}`
  );
}

/** Where a package is, seen from another one. */
function folderOf(root, name) {
  try {
    return dirname(createRequire(join(root, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
