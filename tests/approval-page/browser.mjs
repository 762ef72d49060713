// The approval page in a real browser.
import assert from "node:assert/strict";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { HOSTILE } from "./http.mjs";
import { Agent } from "./servers.mjs";

const NAMES = [
  ...["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
  ...["microsoft-edge", "microsoft-edge-stable", "msedge", "chrome.exe", "msedge.exe"],
];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ...["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((variable) =>
    ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"].map((path) =>
      join(process.env[variable] ?? "", path),
    ),
  ),
];
// Nothing is looked up, updated or reported while it runs.
const QUIET = [
  ...["--no-first-run", "--disable-gpu", "--disable-quic", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update"],
];

/** A browser of this machine; nothing when there is none. */
function findBrowser() {
  const named = process.env.BROWSER_PROGRAM;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...PLACES].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function findPlaywright() {
  try {
    return await import("playwright-core");
  } catch {
    return undefined;
  }
}

const program = findBrowser();
const playwright = await findPlaywright();

/** Why the page cannot be tried here, and how it could. */
function whyNot() {
  if (playwright === undefined) return "playwright-core is not installed: run `npm ci` in tests/approval-page";
  if (program !== undefined) return undefined;
  return "no Chromium, Chrome or Edge is on this machine: install one (`apt-get install chromium`), or name it in BROWSER_PROGRAM";
}

const skip = whyNot();

export function browserTests(language) {
  describe(`${language}: the page in a browser`, { skip }, () => {
    let agent, context, folder, page, complaints;

    /** Begins an agent and opens its link. */
    async function open(...parameters) {
      agent = await Agent.start(language, ...parameters);
      page = await context.newPage();
      complaints = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      await page.goto(agent.link);
    }

    const card = (number) => page.getByRole("article").nth(number);
    const button = (number, name) => card(number).getByRole("button", { name, exact: true });
    const shows = (count) =>
      page.waitForFunction((count) => document.querySelectorAll("article").length === count, count);

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "browser-"));
      context = await playwright.chromium.launchPersistentContext(folder, {
        executablePath: program,
        // Administrators and containers have no sandbox to give.
        chromiumSandbox: process.getuid?.() !== 0 && process.env.CI === undefined,
        args: QUIET,
        viewport: { width: 1000, height: 900 },
      });
      context.setDefaultTimeout(10_000);
    });
    after(async () => {
      await context?.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    /** A test with an agent of its own. */
    function withPage(name, parameters, run) {
      test(name, async () => {
        try {
          await open(...parameters);
          await run();
        } finally {
          await page?.close();
          await agent?.stop();
        }
      });
    }

    withPage("shows what would be run as text, whatever it is", [], async () => {
      await shows(3);
      assert.equal(await page.title(), "(3) Approvals");
      assert.equal(await card(1).locator("pre").textContent(), HOSTILE);
      assert.deepEqual(await card(1).locator("pre mark").allTextContents(), ["\\u{202e}", "\\u001b", "\\r"]);
      assert.equal(await card(0).locator(".command").textContent(), "npm run build && npm publish");
      assert.deepEqual(await card(0).locator(".command strong").allTextContents(), ["npm publish"]);
      assert.equal(await card(0).locator(".reason").textContent(), "because of rule `Bash(npm publish *)`");
      assert.deepEqual(await card(1).locator(".command mark").allTextContents(), ["\\u{202e}", "\\u{1b}", "\\u{d}"]);
      assert.equal(await card(2).locator(".command").isHidden(), true);
      assert.equal(await page.locator("main script, main img, main [onerror]").count(), 0);
      assert.match(await card(0).textContent(), /asked by the hook commands, session shop.*Denied in [45]:\d\d/s);
      assert.match(await card(2).textContent(), /covers everything that Write does until the session ends/);
      assert.match(await card(0).textContent(), /covers exactly this again/);
      assert.equal(page.url(), `${agent.origin}/`, "the token must not stay in the address");
      assert.deepEqual(complaints, []);
    });

    withPage("decides by mouse and by keyboard", [], async () => {
      await shows(3);
      await button(0, "Allow once").click();
      await shows(2);
      assert.match(await page.getByRole("status").textContent(), /^Allow once: May the agent run this command/);
      await button(0, "Deny").focus();
      await page.waitForFunction(() => document.activeElement?.ariaDisabled === "false");
      await page.keyboard.press("Enter");
      await shows(1);
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1", "the focus must not get lost");
      await button(0, "Allow always").click();
      assert.deepEqual(await agent.end(), [
        "Bash: done",
        "Bash: user denied: May the agent run this command? (hook commands)",
        "Write: done",
      ]);
      await page.getByText("The connection is lost").waitFor();
    });

    withPage("lets go of what was decided elsewhere", [], async () => {
      await shows(3);
      const [first] = await agent.waiting(3);
      await agent.decide(first.id, "Deny");
      await shows(2);
      assert.equal(await page.getByRole("status").textContent(), "Settled elsewhere: May the agent run this command?");
      assert.equal(await card(0).locator("pre").textContent(), HOSTILE);
    });

    withPage("ignores clicks on what has just moved under the pointer", [], async () => {
      await shows(3);
      const [first, second] = await agent.waiting(3);
      await button(1, "Allow once").and(page.locator('[aria-disabled="false"]')).waitFor();
      const { x, y } = await button(0, "Allow once").boundingBox();
      await agent.decide(first.id, "Deny");
      await shows(2);
      await page.mouse.click(x + 10, y + 10);
      assert.equal(await button(0, "Allow once").getAttribute("aria-disabled"), "true");
      assert.equal((await agent.waiting(2))[0].id, second.id);
    });

    withPage("is not clicked by scripts, and takes no markup from them", [], async () => {
      await shows(3);
      await button(0, "Allow once").and(page.locator('[aria-disabled="false"]')).waitFor();
      await page.evaluate(() => document.querySelector("button.grants").click());
      const refused = await page.evaluate(() => {
        try {
          document.body.innerHTML = "<img src=x onerror=alert(1)>";
          return "taken";
        } catch (error) {
          return error.name;
        }
      });
      assert.equal(refused, "TypeError");
      assert.equal((await agent.waiting(3)).length, 3);
    });

    withPage("counts down to the default", ["--seconds", "8"], async () => {
      await shows(3);
      assert.match(await card(0).getByRole("timer").textContent(), /^Denied in 0:0[1-8] by default\.$/);
      assert.deepEqual(
        (await agent.end())[0],
        "Bash: no answer in time: May the agent run this command? (hook commands)",
      );
      // The server has gone with its agent.
      await page.getByText("The connection is lost").waitFor();
      for (const one of await page.getByRole("button").all())
        assert.equal(await one.getAttribute("aria-disabled"), "true");
    });

    withPage("is of no use without the link, and keeps it over a reload", [], async () => {
      await shows(3);
      await page.reload();
      await shows(3);
      const stranger = await context.newPage();
      await stranger.goto(agent.origin);
      await stranger.getByText("open the link that the agent printed").waitFor();
      assert.equal(await stranger.getByRole("article").count(), 0);
      await stranger.close();
    });

    withPage("fits a phone, in light and dark", [], async () => {
      await page.setViewportSize({ width: 320, height: 640 });
      const grounds = [];
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await shows(3);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
        for (const one of await page.getByRole("button").all()) assert.ok((await one.boundingBox()).height >= 48);
        await button(0, "Allow once").and(page.locator('[aria-disabled="false"]')).waitFor();
        grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        assert.deepEqual(await page.evaluate(faint), [], colorScheme);
        if (process.env.SCREENSHOTS) {
          await page.screenshot({
            path: join(process.env.SCREENSHOTS, `${language}-${colorScheme}.png`),
            fullPage: true,
          });
        }
      }
      assert.notEqual(grounds[0], grounds[1]);
    });

    withPage("obeys no foreign page", [], async () => {
      await shows(3);
      const [{ id }] = await agent.waiting(3);
      const foreign = createServer((_request, response) =>
        response.setHeader("Content-Type", "text/html").end("<h1>Prizes</h1>"),
      );
      await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
      try {
        const evil = await context.newPage();
        await evil.goto(`http://127.0.0.1:${foreign.address().port}/`);
        const tried = await evil.evaluate(attack, { origin: agent.origin, token: agent.token, id });
        assert.deepEqual(tried, { simple: "refused", asked: "refused", read: "refused" });
        await evil.waitForFunction(() => document.querySelectorAll("iframe[data-loaded]").length === 2);
        for (const frame of evil.frames().slice(1)) {
          assert.equal(await frame.getByText("Approvals").count(), 0, "a foreign page must not show this one");
        }
        await evil.close();
        assert.equal((await agent.waiting(3))[0].id, id);
      } finally {
        foreign.close();
        foreign.closeAllConnections();
      }
    });
  });
}

/** Runs in a foreign page, which even knows the token: tries to decide, to read, and to show the page in a frame. */
async function attack({ origin, token, id }) {
  const body = JSON.stringify({ id, option: "Allow once" });
  const sent = (made) =>
    made.then(
      () => "heard",
      () => "refused",
    );
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const frame = (name, src) => {
    const made = Object.assign(document.createElement("iframe"), { name, onload: () => (made.dataset.loaded = "") });
    if (src !== undefined) made.src = src;
    document.body.append(made);
  };
  frame("page", `${origin}/#${token}`);
  frame("answer");
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: `${origin}/decide`, enctype: "text/plain", target: "answer" });
  form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1) + ',"', value: '":0}' }));
  document.body.append(form);
  form.submit();
  return {
    simple: await sent(fetch(`${origin}/decide`, { method: "POST", body, mode: "no-cors" })),
    asked: await sent(fetch(`${origin}/decide`, { method: "POST", body, headers })),
    read: await sent(fetch(`${origin}/events`, { headers })),
  };
}

/** Runs in the page: texts that stand out too little from their ground (WCAG asks for 4.5 to 1). */
function faint() {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? ground(element.parentElement) : color;
  };
  const found = [];
  for (const element of document.querySelectorAll("h1, h2, p, pre, button, mark")) {
    if (element.textContent === "" || element.closest("noscript") !== null) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.push(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return found;
}
