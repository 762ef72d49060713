// Fails when a committed file that the build writes is not what it writes: ts/events.ts, native/native.d.ts.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const files = ["ts/events.ts", "native/native.d.ts"];
execFileSync("npm", ["run", "--silent", "build:events"], { stdio: "inherit" });
execFileSync("git", ["diff", "--exit-code", "--stat", "--", ...files], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: "inherit",
});
