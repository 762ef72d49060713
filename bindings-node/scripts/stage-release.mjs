// Makes the packages of a release: one for each system, with its addon and its command, and the main one, which names them.
//
//   node scripts/stage-release.mjs ARTIFACTS [--out FOLDER] [--only NAME]...
//
// ARTIFACTS holds, for every system, what `napi build --platform --profile dist --target TRIPLE` and
// `scripts/build-command.mjs --target TRIPLE` have built. Nothing of the checkout is changed: the packages stand below
// FOLDER (target/npm unless given), each ready for `npm publish`, the systems' first. A system whose files are missing is an error,
// for the main package would promise it; `--only` makes a release for some systems, to try it out.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { PLATFORMS, commandOf, packageOf } from "../bin/platform.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"];
// The licences of what is compiled into addon and command; the main package has neither.
const THIRD_PARTY = "THIRD-PARTY.txt";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, only: { type: "string", multiple: true } },
});
const [artifacts] = positionals;
if (artifacts === undefined)
  fail("name the folder that holds what was built: stage-release.mjs ARTIFACTS");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const out = resolve(values.out ?? join(root, "..", "target", "npm"));

const targets = Object.values(PLATFORMS).map(({ target }) => target);
if (targets.toSorted().join() !== manifest.napi.targets.toSorted().join())
  fail("bin/platform.mjs and the napi.targets of package.json name different systems");
const names = values.only ?? Object.keys(PLATFORMS);
const unknown = names.filter((name) => !Object.hasOwn(PLATFORMS, name));
if (unknown.length > 0)
  fail(`--only ${unknown.join(", ")}: unknown; known are ${Object.keys(PLATFORMS).join(", ")}`);

const filesOf = (name) => [`hookweave.${name}.node`, commandOf(name)];
const missing = names.flatMap(filesOf).filter((file) => !existsSync(join(artifacts, file)));
if (missing.length > 0) fail(`${artifacts} lacks ${missing.join(", ")}`);

rmSync(out, { recursive: true, force: true });
for (const name of names) stagePlatform(name);
stageMain();
console.log(names.map((name) => join(out, name)).join("\n"));
console.log(join(out, "hookweave"));

/** Addon and command of one system. */
function stagePlatform(name) {
  const { os, cpu, libc } = PLATFORMS[name];
  const folder = join(out, name);
  const [addon, command] = filesOf(name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(artifacts, addon), join(folder, addon));
  cpSync(join(artifacts, command), join(folder, command));
  chmodSync(join(folder, command), 0o755);
  const { version, license, repository, engines } = manifest;
  write(folder, {
    name: packageOf(name),
    version,
    description: `What hookweave needs on ${name}`,
    license,
    repository,
    engines,
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    main: addon,
    files: [addon, command, ...LICENSES, THIRD_PARTY],
  });
  writeFileSync(
    join(folder, "README.md"),
    `# ${packageOf(name)}\n\nThe native half of [hookweave](https://www.npmjs.com/package/hookweave) for ${name}, and the \`hookweave\` command. ` +
      "It is installed with it.\n",
  );
  licenses(folder, [...LICENSES, THIRD_PARTY]);
}

/** Everything that is the same on all systems. */
function stageMain() {
  const folder = join(out, "hookweave");
  mkdirSync(folder, { recursive: true });
  const shared = manifest.files.filter((file) => !file.includes("*") && file !== THIRD_PARTY);
  for (const file of [...shared, "README.md"]) {
    cpSync(join(root, file), join(folder, file), {
      recursive: true,
      filter: (path) => !path.endsWith(".stamp"),
    });
  }
  const { scripts: _scripts, devDependencies: _dev, overrides: _overrides, ...kept } = manifest;
  const optionalDependencies = Object.fromEntries(
    names.map((name) => [packageOf(name), manifest.version]),
  );
  write(folder, { ...kept, files: [...shared, ...LICENSES], optionalDependencies });
  licenses(folder, LICENSES);
}

function write(folder, content) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}

function licenses(folder, names) {
  for (const name of names) cpSync(join(root, "..", name), join(folder, name));
}

function fail(why) {
  console.error(`error: ${why}`);
  process.exit(2);
}
