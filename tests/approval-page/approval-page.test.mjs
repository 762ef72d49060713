// The approval page of examples/: its two servers, and the page in a real browser.
import { browserTests } from "./browser.mjs";
import { httpTests } from "./http.mjs";
import { build, PROGRAMS } from "./servers.mjs";

build();
for (const language of Object.keys(PROGRAMS)) {
  httpTests(language);
  browserTests(language);
}
