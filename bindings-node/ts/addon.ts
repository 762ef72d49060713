/** Loads the native addon, or says why it cannot be loaded and what helps. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { findFile, folderOf, whyMissing } from "../bin/find.mjs";
import { addonOf, platformName, platformNames } from "../bin/platform.mjs";
import { codeFile } from "./code-file.js";
import { describe, HookweaveError } from "./errors.js";

/** The version of the package; the build puts it in. */
declare const PACKAGE_VERSION: string;

const NAME = "hookweave";

/** Where programs that are bundled keep the package out of the bundle. */
const OUTSIDE_OF_BUNDLES = [
  'Next.js: `serverExternalPackages: ["hookweave"]` in next.config',
  'webpack: `externals: { hookweave: "commonjs hookweave" }`',
  'Rollup: `external: ["hookweave"]`',
  'Vite: `ssr: { external: ["hookweave"] }`',
  "esbuild: `--external:hookweave`",
] as const;

/** A cause that the system's loader names, in words with what helps. */
type Cause = readonly [pattern: RegExp, words: (file: string, found: string) => string];

const ANEW = "install the package again: `npm install --force hookweave`";

const CAUSES: readonly Cause[] = [
  [
    /version `GLIBC_([\d.]+)' not found/,
    (file, needed) =>
      `${file} needs glibc ${needed} or later, and this system has ${glibc()}: use a newer system or image`,
  ],
  [
    /(ld-linux|ld-musl|libc\.musl|libc\.so|__\w+: symbol not found)/,
    (file) =>
      `${file} is made for another C library than this system's (glibc or musl): ` +
      "node_modules comes from another system; install it again here: `npm ci`",
  ],
  [
    /invalid ELF header|wrong ELF class|incompatible architecture|wrong architecture|not a mach-o|not a valid Win32/,
    (file) =>
      `${file} is made for another system than ${platformName()}, or is damaged; install it again here: \`npm ci\``,
  ],
  [/file too short|truncated/, (file) => `${file} is damaged; ${ANEW}`],
  [
    /failed to map segment|Operation not permitted/,
    (file) => `${file} lies on a file system that forbids programs (\`noexec\`): install elsewhere`,
  ],
  [/[Pp]ermission denied|EACCES/, (file) => `${file} may not be read: correct its permissions`],
  [
    /loading addons is disabled|Cannot load native addon/,
    () => "Node loads no addons here: start it without `--no-addons`, or with `--allow-addons`",
  ],
];

/** Loads the addon of this version; throws `addon_not_loaded`. */
export function loadAddon(): unknown {
  const failures: { file: string; error: unknown }[] = [];
  for (const root of roots()) {
    for (const file of addonsOf(root)) {
      let addon: unknown;
      try {
        addon = createRequire(file)(file);
      } catch (error) {
        failures.push({ file, error });
        continue;
      }
      checkVersion(addon, file);
      return addon;
    }
  }
  const [first] = failures;
  throw first === undefined
    ? refusal(missing())
    : refusal(causeOf(first.file, first.error), first.error);
}

/** The folders that may be the package: where this code is, and where it is installed if a bundler has moved it. */
function* roots(): Generator<string> {
  const code = codeFile();
  yield dirname(dirname(code));
  for (const from of [dirname(code), process.cwd()]) {
    const root = folderOf(from, NAME);
    if (root !== undefined) yield root;
  }
}

/** The addons of this system in a package; one on most, two where both C libraries' are installed. */
function addonsOf(root: string): string[] {
  const names = platformNames();
  const files = names.flatMap((name) => findFile(root, name, addonOf(name)) ?? []);
  if (files.length < 2) return files;
  const name = platformName();
  return [findFile(root, name, addonOf(name)) ?? []].flat();
}

function checkVersion(addon: unknown, file: string): void {
  const { version } = addon as { version?: () => string };
  const built = version?.() ?? "an older one";
  if (built === PACKAGE_VERSION) return;
  throw refusal(
    `${file} is of version ${built}, and the package's code of ${PACKAGE_VERSION}: both must be of one version; ${ANEW}`,
  );
}

function missing(): string {
  const root = dirname(dirname(codeFile()));
  const name = platformName();
  const isPackage = folderOf(root, NAME) === root || codeFile().includes(join(NAME, "dist"));
  if (isPackage)
    return whyMissing(root, name, PACKAGE_VERSION, { what: "addon", file: addonOf(name) });
  const isNext = process.env["NEXT_RUNTIME"] !== undefined;
  const lines = isNext ? OUTSIDE_OF_BUNDLES.slice(0, 1) : OUTSIDE_OF_BUNDLES;
  return (
    `the package was bundled into ${codeFile()}, and its addon cannot be: from there and from ${process.cwd()} ` +
    "no installed package `hookweave` is found. Keep it out of the bundle, and install it where the program runs: " +
    lines.join("; ")
  );
}

/** Why a file cannot be loaded, by what the system says of it. */
export function causeOf(file: string, error: unknown): string {
  const text = describe(error);
  for (const [pattern, words] of CAUSES) {
    const match = pattern.exec(text);
    if (match !== null) return words(file, match[1] ?? "");
  }
  return `${file} cannot be loaded: ${text}; ${ANEW}`;
}

function glibc(): string {
  const report = process.report.getReport() as unknown as {
    header: { glibcVersionRuntime?: string };
  };
  return report.header.glibcVersionRuntime ?? "another C library";
}

function refusal(why: string, cause?: unknown): HookweaveError {
  return new HookweaveError(
    "addon_not_loaded",
    `hookweave's addon cannot be loaded: ${why}`,
    cause === undefined ? undefined : { cause },
  );
}
