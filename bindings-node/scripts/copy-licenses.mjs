// Puts the licences into the package: the project's own, and those of what is compiled into the addon and the command.
import { copyFileSync } from "node:fs";

for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"]) {
  copyFileSync(new URL(`../../${name}`, import.meta.url), new URL(`../${name}`, import.meta.url));
}
