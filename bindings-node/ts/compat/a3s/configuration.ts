/** A3S's configuration: the options of a client in it. */

import type { ClientOptions } from "../../client-options.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { HookClient } from "../../client.js";

/** A file with A3S's defaults, or what stands in one. */
export type Configuration = string | URL | { readonly hooks?: object };

/** The settings of a configuration, which the engine itself reads; throws `invalid_config` for one with mistakes. */
export function defaultsOf(configuration: Configuration | undefined): ClientOptions {
  if (configuration === undefined) return {};
  if (typeof configuration === "string") return read(configuration);
  if (configuration instanceof URL) return read(configuration);
  const folder = mkdtempSync(join(tmpdir(), "hookweave-a3s-"));
  try {
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify(configuration));
    return read(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(file: string | URL): ClientOptions {
  const { options } = new HookClient().load(file, { dialect: "a3s", strict: true });
  const { auditLevel, ...settings } = options;
  if (auditLevel !== undefined) settings.audit = auditLevel;
  return settings;
}
