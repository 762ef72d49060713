// Puts the project's licences into the package.
import { copyFileSync } from "node:fs";

for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(new URL(`../../${name}`, import.meta.url), new URL(`../${name}`, import.meta.url));
}
