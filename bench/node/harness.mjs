/**
 * Measures variants in rounds that a parent process asks for, so that programs and languages can be interleaved.
 *
 * Protocol: the program prints one JSON line when it is ready; for every line on its standard input it measures
 * each variant once and prints one JSON line with nanoseconds per dispatch. A variant that gives nanoseconds back has
 * measured by itself.
 */

import * as readline from "node:readline";

const SAMPLE_NS = 20e6;
const WARM_UP_NS = 300e6;
const now = () => Number(process.hrtime.bigint());

/** Turns one dispatch into a variant that does so many of them, each awaited. */
export const repeat = (dispatch) => async (count) => {
  for (let i = 0; i < count; i++) await dispatch();
};

/** Warms a variant up and finds how many dispatches fill one sample. */
async function calibrate(run, sampleNs) {
  const deadline = now() + WARM_UP_NS;
  for (let count = 1; ; ) {
    const start = now();
    await run(count);
    const took = now() - start;
    if (now() > deadline && took > sampleNs / 8) return Math.max(1, Math.round((count * sampleNs) / took));
    if (took < sampleNs / 4) count *= 2;
  }
}

/** Answers the parent's requests until it closes the pipe. */
export async function serve(variants, versions = {}, sampleNs = SAMPLE_NS) {
  const counts = {};
  for (const [name, run] of Object.entries(variants)) counts[name] = await calibrate(run, sampleNs);
  console.log(JSON.stringify({ ready: Object.keys(variants), versions }));
  for await (const _ of readline.createInterface({ input: process.stdin })) {
    const sample = {};
    for (const [name, run] of Object.entries(variants)) {
      const start = now();
      const own = await run(counts[name]);
      sample[name] = (own ?? now() - start) / counts[name];
    }
    console.log(JSON.stringify(sample));
  }
}

/** The version of an installed package. */
export async function version(name) {
  const { createRequire } = await import("node:module");
  const { readFileSync } = await import("node:fs");
  const { dirname, join } = await import("node:path");
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (found.name === name) return found.version;
    } catch {
      // No manifest here: one folder up.
    }
    if (folder === dirname(folder)) throw new Error(`no manifest of ${name}`);
    folder = dirname(folder);
  }
}
