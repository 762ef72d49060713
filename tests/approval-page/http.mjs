// What the servers of the approval page answer to a browser, and to those who are none.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";

import { Agent } from "./servers.mjs";

const BELL = String.fromCharCode(7);

/** The text of the second call, as a person gets it. */
export const HOSTILE = String.raw`{"command":"echo ok </pre><script>document.title='owned'</script>\u{202e} \u001b[2K\r# fr- mr"}`;
/** The same as a command line. */
const HOSTILE_COMMAND = String.raw`echo ok </pre><script>document.title='owned'</script>\u{202e} \u{1b}[2K\u{d}# fr- mr`;

export function httpTests(language) {
  describe(`${language}: the server`, () => {
    let agent;
    before(async () => (agent = await Agent.start(language)));
    after(() => agent.stop());

    test("serves three files that nobody can frame, cache or change", async () => {
      for (const [path, kind] of [
        ["/", "text/html; charset=utf-8"],
        ["/page.css", "text/css; charset=utf-8"],
        ["/page.js", "text/javascript; charset=utf-8"],
      ]) {
        const { status, headers, text } = await agent.send("GET", path, { Host: `localhost:${agent.port}` });
        assert.equal(status, 200);
        assert.equal(headers["content-type"], kind);
        assertSafe(headers);
        assert.ok(!text.includes(agent.token), "a page that anybody gets must not hold the token");
        assert.doesNotMatch(text, /https?:|<script>|\sstyle=|\son\w+=/);
      }
    });

    test("serves nothing else", async () => {
      const paths = [
        "/main.py",
        "/../main.py",
        "/%2e%2e/main.py",
        "/page/index.html",
        "http://127.0.0.1/",
        "/decide",
        "/events/",
      ];
      for (const path of paths) {
        const { status, headers } = await agent.send("GET", path, agent.honest);
        assert.equal(status, 404, path);
        assertSafe(headers);
      }
      for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"]) {
        const { status, headers } = await agent.send(method, "/decide", agent.honest);
        assert.equal(status, 501, method);
        assertSafe(headers);
        assert.equal(headers["access-control-allow-origin"], undefined);
      }
    });

    test("tells nobody without the token what waits", async () => {
      const [first] = await agent.waiting(3);
      const forged = [
        undefined,
        "",
        agent.token,
        "Bearer ",
        `Bearer ${agent.token}x`,
        `bearer ${agent.token}`,
        "Bearer \xff",
      ];
      for (const Authorization of forged) {
        const headers = { ...agent.honest, Authorization };
        const read = await agent.send("GET", "/events", headers);
        assert.deepEqual([read.status, read.text.includes("publish")], [401, false], Authorization);
        assert.equal((await agent.decide(first.id, "Allow once", headers)).status, 401, Authorization);
      }
      const inAddress = await agent.send("GET", `/events?token=${agent.token}`, {
        ...agent.honest,
        Authorization: undefined,
      });
      assert.equal(inAddress.status, 401);
    });

    test("does nothing for foreign pages, nor under foreign names of this machine", async () => {
      const [first] = await agent.waiting(3);
      const foreign = [
        { Origin: "https://evil.example" },
        { Origin: "null" },
        { Origin: `http://127.0.0.1:${agent.port + 1}` },
        { Origin: `https://127.0.0.1:${agent.port}` },
        { Origin: `http://127.0.0.1:${agent.port}.evil.example` },
        { Origin: undefined },
        { Host: "evil.example" },
        { Host: `evil.example:${agent.port}` },
        { Host: `127.0.0.1:${agent.port + 1}` },
        { Host: "127.0.0.1" },
      ];
      for (const changed of foreign) {
        const { status } = await agent.decide(first.id, "Allow once", { ...agent.honest, ...changed });
        assert.equal(status, 403, JSON.stringify(changed));
      }
      for (const changed of foreign.slice(6)) {
        assert.equal((await agent.send("GET", "/", { Host: changed.Host })).status, 403, changed.Host);
      }
      // What a form or a script of a foreign page can send without being asked for leave.
      for (const kind of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", undefined]) {
        const { status } = await agent.decide(first.id, "Allow once", { ...agent.honest, "Content-Type": kind });
        assert.equal(status, 415, kind);
      }
      assert.equal((await agent.waiting(3))[0].id, first.id);
    });

    test("reads a decision and nothing else", async () => {
      const [{ id }] = await agent.waiting(3);
      const bodies = [
        "",
        "{",
        "null",
        "[]",
        '"x"',
        "{}",
        '{"id": 1, "option": "Deny"}',
        JSON.stringify({ id, option: null }),
        JSON.stringify({ id, option: ["Deny"] }),
        "[".repeat(4000),
        `{"id":${"[".repeat(3000)}`,
        "\xff\xfe",
      ];
      for (const body of bodies) {
        assert.equal((await agent.send("POST", "/decide", agent.honest, body)).status, 400, body.slice(0, 40));
      }
      const long = JSON.stringify({ id, option: "Deny", more: "x".repeat(5000) });
      assert.equal((await agent.send("POST", "/decide", agent.honest, long)).status, 413);
      const chunked = { ...agent.honest, "Transfer-Encoding": "chunked" };
      assert.equal((await agent.send("POST", "/decide", chunked, JSON.stringify({ id, option: "Deny" }))).status, 411);
      const answer = await raw(
        agent.port,
        `POST /decide HTTP/1.1\r\nHost: 127.0.0.1:${agent.port}\r\nContent-Length: -1\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
      assert.match(await raw(agent.port, `${BELL}\r\n\r\n`), /^$|400/);
      assert.equal((await agent.waiting(3)).length, 3);
    });

    test("decides only what waits, by an option that it has", async () => {
      const requests = await agent.waiting(3);
      const ghosts = ["", "x", "__proto__", "\ud800", "../../etc/passwd"];
      for (const id of ghosts) assert.equal((await agent.decide(id, "Allow once")).status, 409, id);
      for (const option of ["", "allow once", "Allow everything", "constructor"]) {
        const { status, text, headers } = await agent.decide(requests[0].id, option);
        assert.deepEqual([status, headers["content-type"]], [409, "application/json"], option);
        assert.match(JSON.parse(text).error, /is no option/);
      }
      assert.equal((await agent.waiting(3)).length, 3);
    });

    test("shows what would be run, with nothing in it that a screen would obey", async () => {
      const requests = await agent.waiting(3);
      const { left_ms: left, id, ...second } = requests[1];
      assert.ok(left > 200_000 && left <= 300_000, `${left}`);
      assert.match(id, /^[0-9a-f]{32}-[0-9a-f]{32}$/);
      assert.deepEqual(second, {
        session: "shop",
        agent: null,
        event: "PreToolUse",
        tool: "Bash",
        shown: HOSTILE,
        command: [{ text: HOSTILE_COMMAND, met: true }],
        why: "rule `Bash(npm publish *)`; not all of the command line is understood",
        reason: null,
        hook: "commands",
        prompt: "May the agent run this command?",
        options: ["Allow once", "Allow always", "Deny"],
        granting: ["Allow once", "Allow always"],
        default: "deny",
        remember: null,
        persistent: false,
      });
      assert.deepEqual(requests[2].granting, ["Allow once", "Allow always"]);
      assert.deepEqual(requests[2].options, ["Allow once", "Allow always", "Not today", "Deny"]);
      assert.equal(requests[2].remember, "tool");
      const response = await agent.begin("GET", "/events", agent.honest);
      assert.equal(response.headers["content-type"], "text/event-stream");
      assertSafe(response.headers);
      response.destroy();
    });

    test("ends a request that comes byte by byte", async () => {
      const begin = `POST /decide HTTP/1.1\r\nHost: 127.0.0.1:${agent.port}\r\n`;
      for (const text of [begin, `${begin}Content-Length: 2000\r\n\r\n`]) {
        assert.ok(await dripped(agent.port, text), text);
      }
    });

    test("is there for this machine's loopback address alone", async () => {
      for (const host of ["127.0.0.2", "::1"]) {
        await assert.rejects(reached(host, agent.port), { code: /ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|ETIMEDOUT/ });
      }
    });

    test("keeps no more pages open than it promises", async () => {
      const open = [];
      const fill = async () => {
        const response = await agent.begin("GET", "/events", agent.honest);
        if (response.statusCode === 200) return open.push(response);
        assert.equal(response.statusCode, 503);
        return response.resume() && 0;
      };
      // Pages of earlier tests are noticed to be gone a moment later.
      await until(async () => (await fill()) === 32);
      assert.equal(await fill(), 0);
      assert.equal((await agent.send("GET", "/", agent.honest)).status, 200);
      for (const response of open.splice(0)) response.destroy();
      await until(async () => (await fill()) === 1);
      open[0].destroy();
    });
  });

  describe(`${language}: a decision`, () => {
    test("counts once, is told to every page, and is what the agent does", async () => {
      const agent = await Agent.start(language);
      try {
        const [first, second, third] = await agent.waiting(3);
        const lengths = [];
        const other = (async () => {
          for await (const requests of agent.follow()) lengths.push(requests.length);
        })();
        const tries = await Promise.all(Array.from({ length: 8 }, () => agent.decide(first.id, "Allow once")));
        assert.deepEqual(tries.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
        assert.equal((await agent.decide(first.id, "Deny")).status, 409);
        assert.equal((await agent.waiting(2))[0].id, second.id);
        assert.equal((await agent.decide(second.id, "Deny")).status, 200);
        await agent.waiting(1);
        assert.equal((await agent.decide(third.id, "Not today")).status, 200);
        assert.deepEqual(await agent.end(), [
          "Bash: done",
          "Bash: user denied: May the agent run this command? (hook commands)",
          "Write: user denied: May the agent change production? (hook production)",
        ]);
        await other;
        assert.deepEqual(lengths.slice(0, 3), [3, 2, 1]);
      } finally {
        await agent.stop();
      }
    });

    test("of one leaves the others their time", async () => {
      const agent = await Agent.start(language);
      try {
        const [first, second] = await agent.waiting(3);
        await new Promise((resolve) => setTimeout(resolve, 500));
        await agent.decide(first.id, "Deny");
        const [later] = await agent.waiting(2);
        assert.ok(later.left_ms <= second.left_ms - 500, "the time of the others goes on when one is decided");
      } finally {
        await agent.stop();
      }
    });

    test("that nobody makes in time is a denial", async () => {
      const agent = await Agent.start(language, "--seconds", "1");
      try {
        assert.deepEqual(await agent.end(), [
          "Bash: no answer in time: May the agent run this command? (hook commands)",
          "Bash: no answer in time: May the agent run this command? (hook commands)",
          "Write: no answer in time: May the agent change production? (hook production)",
        ]);
        await assert.rejects(agent.decide("any", "Allow once"), { code: "ECONNREFUSED" });
      } finally {
        await agent.stop();
      }
    });

    test("comes from no origin that is none", async () => {
      for (const origin of ["laptop.example", "https://laptop.example/", "https://", "file:///tmp", "*", "null"]) {
        const agent = await Agent.start(language, `--origin=${origin}`);
        assert.notEqual(await agent.ended, 0, origin);
        assert.ok(agent.errors.includes("is no origin; write it as https://laptop.example"), agent.errors);
      }
    });

    test("may come through a tunnel that the host names", async () => {
      const agent = await Agent.start(language, "--origin", "https://laptop.example");
      try {
        const tunnel = { ...agent.honest, Host: "laptop.example", Origin: "https://laptop.example" };
        const [first] = await agent.waiting(3);
        const insecure = { ...tunnel, Origin: "http://laptop.example" };
        assert.equal((await agent.decide(first.id, "Deny", insecure)).status, 403);
        assert.equal((await agent.decide(first.id, "Deny", tunnel)).status, 200);
      } finally {
        await agent.stop();
      }
    });
  });
}

/** What every answer has to say, also a refusal. */
function assertSafe(headers) {
  const policy = headers["content-security-policy"] ?? "";
  const wanted = [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  for (const rule of wanted) assert.ok(policy.includes(rule), `${rule} is missing`);
  assert.ok(!policy.includes("unsafe"));
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["cross-origin-resource-policy"], "same-origin");
}

/** Tries until it is so. */
async function until(holds) {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, "it did not come to be so");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Sends bytes as they are; gives what comes back until the server hangs up. */
function raw(port, text) {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (data) => (answer += data));
    socket.on("error", () => resolve(answer));
    socket.on("close", () => resolve(answer));
  });
}

/** Begins a request and goes on with it byte by byte; whether the server ends it. */
function dripped(port, text) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const drip = setInterval(() => socket.write("x"), 300);
    const late = setTimeout(() => end(false), 120_000);
    const end = (ended) => {
      clearInterval(drip);
      clearTimeout(late);
      socket.destroy();
      resolve(ended);
    };
    socket.on("data", () => undefined);
    socket.on("error", () => end(true));
    socket.on("end", () => end(true));
    socket.on("close", () => end(true));
  });
}

/** Connects to an address, if something listens there. */
function reached(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, timeout: 2000 }, () => socket.destroy() && resolve());
    socket.on("timeout", () => reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
    socket.on("error", reject);
  });
}
