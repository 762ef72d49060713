// Joins the compiled modules of build/ into the files of dist/ that programs load: one for each entry point, and what they share.
//
// They are CommonJS, which every version of Node, every bundler and every test runner loads, with `import` and with `require`:
// a second build as modules would be a second copy of the package's state.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { rollup } from "rollup";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const ENTRY_POINTS = ["index", "telemetry", "testing/index", "compat/a3s/index"];

/** Hands the compiler's source maps on, and puts the package's version in. */
const compiled = {
  name: "compiled",
  load(file) {
    const code = readFileSync(file, "utf8").replaceAll("PACKAGE_VERSION", JSON.stringify(version));
    const map = `${file}.map`;
    return { code, map: existsSync(map) ? JSON.parse(readFileSync(map, "utf8")) : null };
  },
};

const bundle = await rollup({
  input: Object.fromEntries(ENTRY_POINTS.map((name) => [name, join(root, "build", `${name}.js`)])),
  external: /^(node:|@opentelemetry\/)/,
  plugins: [compiled],
  onwarn(warning) {
    throw new Error(warning.message);
  },
});
/** The modules that the main entry point needs. */
function ofMain(infoOf) {
  const needed = new Set([join(root, "build", "index.js")]);
  for (const module of needed) for (const other of infoOf(module).importedIds) needed.add(other);
  return needed;
}

const dist = join(root, "dist");
for (const file of readdirSync(dist, { recursive: true })) {
  if (/\.m?js(\.map)?$/.test(file)) rmSync(join(dist, file));
}
await bundle.write({
  dir: dist,
  format: "cjs",
  esModule: true,
  generatedCode: { preset: "es2015", symbols: false },
  // What the main entry point needs is one file, whatever the others need of it.
  manualChunks: (module, { getModuleInfo }) =>
    ofMain(getModuleInfo).has(module) ? "hookweave" : undefined,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  sourcemap: true,
  sourcemapExcludeSources: true,
});
await bundle.close();
// Adapters stay modules, as their frameworks are; what they import of the package is beside them.
for (const file of readdirSync(join(root, "build", "integrations"))) {
  copyFileSync(join(root, "build", "integrations", file), join(dist, "integrations", file));
}
writeFileSync(join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
