// Writes the public API of each entry point to api/, from the built declarations, so that a change of it shows in a diff.
//
//   node scripts/write-api.mjs [--check]
//
// With --check it writes nothing and fails when a report differs from the committed one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";

/** The reports and the declarations that they are made of: the `exports` of package.json. */
const ENTRY_POINTS = {
  hookweave: "index.d.ts",
  "hookweave-ai": "integrations/ai.d.mts",
  "hookweave-claude-agent-sdk": "integrations/claude-agent-sdk.d.mts",
  "hookweave-compat-a3s": "compat/a3s/index.d.ts",
  "hookweave-telemetry": "telemetry.d.ts",
  "hookweave-langchain": "integrations/langchain.d.mts",
  "hookweave-mcp": "integrations/mcp.d.mts",
  "hookweave-openai-agents": "integrations/openai-agents.d.mts",
  "hookweave-opencode": "integrations/opencode.d.mts",
  "hookweave-pi": "integrations/pi.d.mts",
  "hookweave-testing": "testing/index.d.ts",
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;
const temporary = mkdtempSync(join(tmpdir(), "hookweave-api-"));
let failed = false;
try {
  for (const [name, declarations] of Object.entries(ENTRY_POINTS)) {
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: root,
        mainEntryPointFilePath: join(root, "dist", declarations),
        newlineKind: "lf",
        compiler: {
          overrideTsconfig: {
            compilerOptions: {
              target: "ES2022",
              lib: ["ES2023", "ESNext.Disposable"],
              module: "NodeNext",
              moduleResolution: "NodeNext",
              types: ["node"],
              strict: true,
              exactOptionalPropertyTypes: true,
              skipLibCheck: true,
            },
          },
        },
        apiReport: {
          enabled: true,
          reportFileName: `${name}.api.md`,
          reportFolder: join(root, "api"),
          reportTempFolder: temporary,
          // The classes that HookClient inherits its methods from; other entry points name types of the main one.
          includeForgottenExports: name === "hookweave",
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: "error" } },
          extractorMessageReporting: { default: { logLevel: "none" } },
          tsdocMessageReporting: { default: { logLevel: "none" } },
        },
      },
      configObjectFullPath: join(root, "api-extractor.json"),
      packageJsonFullPath: join(root, "package.json"),
    });
    const result = Extractor.invoke(config, {
      localBuild: !check,
      messageCallback(message) {
        // Says which compiler it uses; errors are left for it to show.
        if (message.category === "console") message.handled = true;
      },
    });
    if (result.apiReportChanged) {
      console.log(
        check
          ? `api/${name}.api.md differs from the built declarations; run \`make generate\` and look at the diff`
          : `api/${name}.api.md changed`,
      );
    }
    failed ||= result.errorCount > 0 || (check && result.apiReportChanged);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
