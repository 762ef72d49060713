/** Registering, listing, switching, removing; definitions; refusals with a code and a message to act on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import {
  ClientClosedError,
  HookClient,
  HookLimitError,
  HookResponse,
  HookweaveError,
  InvalidDefinitionError,
  InvalidHookError,
  InvalidMatcherError,
  InvalidOptionError,
  NestingError,
  PayloadError,
  UnknownEventError,
  UnknownHookError,
  type ClientOptions,
  type EventName,
} from "hookweave";

import { bash, quietClient } from "./support/tools.js";

const nothing = (): undefined => undefined;

/** Every option; one that is missing here or is none does not compile. */
const OPTIONS: Record<keyof Required<ClientOptions>, true> = {
  profile: true,
  mode: true,
  conflict: true,
  enforcement: true,
  shortCircuit: true,
  enabled: true,
  defaultTimeout: true,
  failBehavior: true,
  maxHooksPerEvent: true,
  maxTotalHooks: true,
  maxDetached: true,
  projectDir: true,
  maxRunning: true,
  outputCap: true,
  scrubEnvironment: true,
  webhooks: true,
  logger: true,
  audit: true,
};

test("who misspells an option is told all that there are", () => {
  for (const slip of ["loger", "audits", "profiles"]) {
    assert.throws(
      () => new HookClient({ [slip]: null }),
      (error: Error) => {
        const [, meant] = /did you mean `(\w+)`/.exec(error.message) ?? [];
        const [, known = ""] = /known are (.*)$/.exec(error.message) ?? [];
        assert.equal(OPTIONS[meant as keyof ClientOptions], true);
        assert.deepEqual(known.split(", ").sort(), Object.keys(OPTIONS).sort());
        return true;
      },
    );
  }
});

describe("hooks", () => {
  test("are listed in the order in which they run, with all that was said of them", () => {
    const client = new HookClient({ logger: null });
    client.registerHook("PreToolUse", {
      name: "guard",
      matcher: {
        tool: "Bash",
        commandPattern: "rm",
        args: { path: { regex: "^/" } },
      },
      handler: nothing,
      config: {
        priority: 5,
        timeout: 1500,
        failBehavior: "block",
        scope: "project",
      },
    });
    client.registerHook("tool:pre", function first() {
      return undefined;
    });
    assert.deepEqual(client.listHooks(), [
      {
        id: "hook-2",
        name: "first",
        event: "PreToolUse",
        matcher: {},
        priority: 0,
        scope: "callback",
        timeout: 5000,
        failBehavior: "continue",
        enforcement: "enforce",
        once: false,
        mandatory: false,
        detached: false,
        enabled: true,
        temporary: false,
        origin: null,
        worker: null,
        order: 0,
      },
      {
        id: "hook-1",
        name: "guard",
        event: "PreToolUse",
        matcher: {
          tool: "Bash",
          commandPattern: "rm",
          args: { path: { regex: "^/" } },
        },
        priority: 5,
        scope: "project",
        timeout: 1500,
        failBehavior: "block",
        enforcement: "enforce",
        once: false,
        mandatory: true,
        detached: false,
        enabled: true,
        temporary: false,
        origin: null,
        worker: null,
        order: 1,
      },
    ]);
  });

  test("without a name are called by the line that registers them", () => {
    const client = quietClient();
    client.registerHook("Stop", () => undefined);
    client.registerHook("Stop", { handler: () => undefined });
    client.temporaryHook("Stop", () => undefined);
    client.session().temporaryHook("Stop", () => undefined);
    const names = client.listHooks().map(({ name }) => name);
    assert.equal(new Set(names).size, 4);
    for (const name of names) assert.match(name, /^registration\.test\.js:\d+$/u);
  });

  test("are called by their id where the stack does not say the line", () => {
    const client = quietClient();
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      client.registerHook("Stop", () => undefined);
    } finally {
      Error.stackTraceLimit = limit;
    }
    assert.equal(client.listHooks()[0]?.name, "hook-1");
  });

  test("have their settings beside the handler or in config", () => {
    const client = quietClient();
    const settings = { priority: 5, failBehavior: "block", timeout: 1500 } as const;
    client.registerHook("PreToolUse", { name: "a", handler: () => undefined, ...settings });
    client.registerHook("PreToolUse", { name: "a", handler: () => undefined, config: settings });
    const [beside, inside] = client.listHooks().map(({ id, order, ...rest }) => rest);
    assert.equal(beside?.priority, 5);
    assert.deepEqual(beside, inside);
  });

  test("match by a RegExp as by its text and flags", async () => {
    const client = quietClient();
    const decide = { handler: () => HookResponse.block("no") };
    client.registerHook("PreToolUse", { ...decide, matcher: { commandPattern: /^RM\b/giu } });
    client.registerHook("PreToolUse", { ...decide, matcher: { toolPattern: /^Wri/ } });
    client.registerHook("PreToolUse", { ...decide, matcher: { args: { path: /^\/etc\//s } } });
    client.registerHook("PreToolUse", {
      ...decide,
      matcher: { args: { url: { regex: /^ftp:/m } } },
    });
    client.registerHook("SessionStart", {
      handler: () => undefined,
      matcher: { sourcePattern: /^re/ },
    });
    const blocked = async (tool: string, args: Record<string, unknown>): Promise<boolean> =>
      (await client.dispatch("PreToolUse", { tool, args })).blocked;
    assert.equal(await blocked("Bash", { command: "rm -r x" }), true);
    assert.equal(await blocked("Bash", { command: "xrm" }), false);
    assert.equal(await blocked("Write", { path: "a" }), true);
    assert.equal(await blocked("Read", { path: "/etc/x" }), true);
    assert.equal(await blocked("Fetch", { url: "x\nftp://y" }), true);
    assert.deepEqual(
      client.listHooks().map(({ matcher }) => matcher),
      [
        { commandPattern: "(?i)^RM\\b" },
        { toolPattern: "^Wri" },
        { args: { path: { regex: "(?s)^\\/etc\\/" } } },
        { args: { url: { regex: "(?m)^ftp:" } } },
        { sourcePattern: "^re" },
      ],
    );
  });

  test("with a timeout that looks like seconds are a warning", () => {
    const warnings: unknown[] = [];
    const logger = {
      warn: (...warning: unknown[]) => void warnings.push(warning),
      error: () => undefined,
    };
    const client = new HookClient({ logger, defaultTimeout: 30 });
    const id = client.registerHook("Stop", { name: "slow", handler: () => undefined, timeout: 5 });
    for (const timeout of [0.5, 61, 5000, null])
      client.registerHook("Stop", { handler: () => undefined, timeout });
    const meant = (setting: string, given: number): string =>
      `${setting} is ${String(given)} milliseconds; if seconds are meant, write ${String(given)}000`;
    assert.deepEqual(warnings, [
      [meant("defaultTimeout", 30), {}],
      [meant("timeout", 5), { event: "Stop", hook: "slow", id }],
    ]);
  });

  test("are shown when their client is printed", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", { name: "guard", handler: () => undefined });
    client.registerHook("Stop", { name: "last", handler: () => undefined });
    const hooks = "hooks: { PreToolUse: [ 'guard' ], Stop: [ 'last' ] }";
    assert.equal(
      inspect(client, { breakLength: Infinity }),
      `HookClient { enabled: true, closed: false, ${hooks} }`,
    );
    await client.close();
    client.enabled = false;
    assert.match(inspect(client), /enabled: false,\s+closed: true/u);
  });

  test("can be switched off and on, and removed once", async () => {
    const client = quietClient();
    let runs = 0;
    const id = client.registerHook("Stop", () => {
      runs++;
    });
    await client.dispatch("Stop");
    client.disableHook(id);
    const { unmatched } = await client.dispatch("Stop");
    assert.match(unmatched[0]?.why ?? "", /disabled/);
    client.enableHook(id);
    await client.dispatch("Stop");
    assert.equal(client.unregisterHook(id), true);
    assert.equal(client.unregisterHook(id), false);
    assert.equal(client.unregisterHook("nonsense"), false);
    await client.dispatch("Stop");
    assert.equal(runs, 2);
    assert.throws(() => {
      client.enableHook(id);
    }, UnknownHookError);
  });

  test("a client can be switched off and on", async () => {
    const client = quietClient({ enabled: false });
    let runs = 0;
    client.registerHook("Stop", () => {
      runs++;
    });
    assert.equal(client.enabled, false);
    const outcome = await client.dispatch("Stop");
    assert.deepEqual(outcome.trace, []);
    assert.deepEqual(outcome.unmatched, []);
    client.enabled = true;
    await client.dispatch("Stop");
    assert.equal(runs, 1);
  });

  test("plans that were kept are dropped at every change", async () => {
    const client = quietClient({ maxHooksPerEvent: null, maxTotalHooks: null });
    for (let round = 1; round <= 3; round++) {
      for (const tool of ["Bash", "Read"]) {
        client.registerHook("PreToolUse", {
          matcher: { tool },
          handler: nothing,
        });
        const { trace } = await client.dispatch("PreToolUse", {
          tool,
          args: {},
        });
        assert.equal(trace.length, round);
      }
    }
  });

  test("a handler can go once nothing can call it any more", async () => {
    const client = quietClient();
    const gone: string[] = [];
    const registry = new FinalizationRegistry<string>((name) => gone.push(name));
    const register = (): string => {
      const handler = (): undefined => undefined;
      registry.register(handler, "handler");
      return client.registerHook("Stop", handler);
    };
    client.unregisterHook(register());
    // The next dispatch drops the old plans, the next registration hears of it.
    await client.dispatch("Stop");
    client.registerHook("Stop", nothing);
    const { gc } = globalThis as { gc?: () => void };
    if (gc === undefined) return;
    for (let round = 0; round < 20 && gone.length === 0; round++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(gone, ["handler"]);
  });
});

describe("refusals", () => {
  const cases: [
    string,
    new (...args: never[]) => HookweaveError,
    string,
    RegExp,
    (client: HookClient) => unknown,
  ][] = [
    [
      "a misspelt event",
      UnknownEventError,
      "unknown_event",
      /did you mean `PreToolUse`/,
      (client) => client.registerHook("PreToolUs" as EventName, nothing),
    ],
    [
      "an alias that is not one",
      UnknownEventError,
      "unknown_event",
      /tool:pre/,
      (client) => client.registerHook("tool:pree", nothing),
    ],
    [
      "a pattern that does not compile",
      InvalidMatcherError,
      "invalid_matcher",
      /tool_?[pP]attern/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          matcher: { toolPattern: "(" },
        }),
    ],
    [
      "a matcher that cannot apply",
      InvalidMatcherError,
      "matcher_not_applicable",
      /SessionEnd/,
      (client) =>
        client.registerHook("SessionEnd", {
          handler: nothing,
          matcher: { tool: "Bash" },
        }),
    ],
    [
      "an unknown matcher field",
      InvalidMatcherError,
      "invalid_matcher",
      /tol/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          matcher: { tol: "Bash" } as never,
        }),
    ],
    [
      "no handler",
      InvalidHookError,
      "invalid_hook",
      /handler/,
      (client) => client.registerHook("PreToolUse", { matcher: {} } as never),
    ],
    [
      "nothing at all",
      InvalidHookError,
      "invalid_hook",
      /function/,
      (client) => client.registerHook("PreToolUse", undefined as never),
    ],
    [
      "a misspelt setting beside the handler",
      InvalidHookError,
      "invalid_hook",
      /priority/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          priorty: 1,
        } as never),
    ],
    [
      "settings behind the hook",
      InvalidHookError,
      "invalid_hook",
      /settings stand in the hook/,
      (client) => client.registerHook("PreToolUse", nothing, { priority: 1 } as never),
    ],
    [
      "no event",
      UnknownEventError,
      "unknown_event",
      /an event is a name such as "PreToolUse", not undefined/,
      (client) => client.registerHook(undefined as never, nothing),
    ],
    [
      "a misspelt setting",
      InvalidHookError,
      "invalid_hook",
      /did you mean `timeout`/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          config: { timeut: 1 } as never,
        }),
    ],
    [
      "a timeout of nothing",
      InvalidHookError,
      "invalid_hook",
      /greater than 0/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          config: { timeout: 0 },
        }),
    ],
    [
      "detached and fail-closed",
      InvalidHookError,
      "invalid_hook",
      /detached/,
      (client) =>
        client.registerHook("PreToolUse", {
          handler: nothing,
          config: { async: true, failBehavior: "block" },
        }),
    ],
    [
      "an event that is known already",
      InvalidDefinitionError,
      "invalid_event_definition",
      /built in/,
      (client) => client.defineEvent("PreToolUse"),
    ],
    [
      "a tool that is itself",
      InvalidDefinitionError,
      "invalid_tool_definition",
      /another tool/,
      (client) => {
        client.defineTool("Shell", { sameAs: "Shell" });
      },
    ],
    [
      "an unknown option",
      InvalidOptionError,
      "invalid_option",
      /did you mean `defaultTimeout`/,
      () => new HookClient({ defaultTimout: 5 } as never),
    ],
    [
      "an unknown profile",
      InvalidOptionError,
      "unknown_profile",
      /shadow/,
      () => new HookClient({ profile: "shadw" as never }),
    ],
    [
      "one hook too many",
      HookLimitError,
      "too_many_hooks",
      /max_?[hH]ooks_?[pP]er_?[eE]vent/,
      () => {
        const client = quietClient({ maxHooksPerEvent: 10 });
        for (let hook = 0; hook < 11; hook++) client.registerHook("Stop", nothing);
      },
    ],
  ];
  for (const [name, type, code, message, act] of cases) {
    test(name, () => {
      assert.throws(
        () => act(quietClient()),
        (error) => {
          assert.ok(error instanceof type, String(error));
          assert.ok(error instanceof HookweaveError);
          assert.equal(error.code, code);
          assert.match(error.message, message);
          assert.equal(error.name, type.name);
          return true;
        },
      );
    });
  }

  test("a dispatch that cannot be rejects, and never throws at once", async () => {
    const client = quietClient();
    for (const payload of [3, "text", null, [], new Date(), () => undefined]) {
      await assert.rejects(client.dispatch("Stop", payload as never), (error) => {
        return error instanceof PayloadError && error.code === "invalid_payload";
      });
    }
    client.registerHook("Stop", nothing);
    await client.dispatch("Stop");
    await assert.rejects(client.dispatch("Stop", [] as never), {
      code: "invalid_payload",
    });
    await assert.rejects(client.dispatch("Nope" as EventName, {} as never), UnknownEventError);
  });

  test("a closed client", async () => {
    const client = quietClient();
    await client.close();
    await client.close();
    await assert.rejects(client.dispatch("Stop"), ClientClosedError);
    assert.throws(() => client.registerHook("Stop", nothing), {
      code: "client_closed",
    });
  });
});

describe("custom events and tools", () => {
  test("are raised under their names", async () => {
    const client = quietClient();
    const deploy = client.defineEvent("Deploy", {
      gate: true,
      modifiable: ["target"],
    });
    client.registerHook(deploy, (event) => ({
      modified: { target: `${String(event["target"])}-eu` },
    }));
    const outcome = await client.dispatch(deploy, { target: "prod" });
    assert.equal(outcome.event["target"], "prod-eu");
    client.registerHook("deploy:done", () => ({ action: "block" }));
    assert.equal((await client.dispatch("deploy:done", {})).blocked, true);
  });

  test("a tool that is the same as another matches as that", async () => {
    const client = quietClient();
    client.defineTool("Shell", { sameAs: "Bash", command: "cmd" });
    client.registerHook("PreToolUse", {
      matcher: { tool: "Bash", commandPattern: "^rm" },
      handler: () => ({ action: "block" }),
    });
    assert.equal(
      (
        await client.dispatch("PreToolUse", {
          tool: "Shell",
          args: { cmd: "rm x" },
        })
      ).blocked,
      true,
    );
    assert.equal(
      (
        await client.dispatch("PreToolUse", {
          tool: "Shell",
          args: { cmd: "ls" },
        })
      ).blocked,
      false,
    );
  });
});

describe("nesting", () => {
  const nest = (client: HookClient, pause: () => unknown): string[] => {
    const failures: string[] = [];
    client.registerHook("Stop", async () => {
      await pause();
      const { trace } = await client.dispatch("Stop");
      for (const { failure } of trace) {
        if (failure !== null) failures.push((failure.error.cause as HookweaveError).code);
      }
    });
    return failures;
  };

  test("seventeen dispatches inside each other are one too many", async () => {
    const client = quietClient();
    let runs = 0;
    client.registerHook("Stop", async () => {
      runs++;
      await client.dispatch("Stop");
    });
    const outcome = await client.dispatch("Stop");
    assert.equal(runs, 17);
    assert.equal(outcome.decision, "continue");
  });

  test("the refusal is a failure of the hook that went too far", async () => {
    const client = quietClient({ maxHooksPerEvent: null });
    const failures = nest(client, () => undefined);
    await client.dispatch("Stop");
    assert.deepEqual(failures, ["nested_too_deep"]);
  });

  test("hooks that wait before they dispatch are counted too", async () => {
    const client = quietClient();
    const failures = nest(client, () => new Promise((resolve) => setImmediate(resolve)));
    await client.dispatch("Stop");
    assert.deepEqual(failures, ["nested_too_deep"]);
  });

  test("unrelated dispatches side by side are not nested", async () => {
    const client = quietClient();
    client.registerHook("Stop", () => new Promise<void>((resolve) => setTimeout(resolve, 10)));
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => client.dispatch("Stop")));
    assert.ok(outcomes.every(({ trace }) => trace[0]?.failure === null));
  });

  test("the limit is told as an error of its own class", async () => {
    const client = quietClient();
    let refused: unknown;
    client.registerHook("PreToolUse", async () => {
      try {
        await client.dispatch("PreToolUse", bash);
      } catch (error) {
        refused = error;
      }
    });
    await client.dispatch("PreToolUse", bash);
    assert.ok(refused instanceof NestingError);
    assert.match(refused.message, /16/);
  });
});

test("a generator is refused: it would answer nothing", () => {
  const client = quietClient();
  const generators = [
    function* () {
      yield null;
    },
    async function* () {
      yield await Promise.resolve(null);
    },
  ];
  for (const handler of generators) {
    for (const hook of [handler, { handler }])
      assert.throws(() => client.registerHook("PreToolUse", hook as never), {
        code: "invalid_hook",
        message: /a generator .* answers nothing/,
      });
  }
});

test("a logger without its methods is refused", () => {
  for (const logger of ["console", {}, { warn: nothing }, 5])
    assert.throws(() => new HookClient({ logger: logger as never }), {
      code: "invalid_option",
      message: /options\.logger: must have the methods `warn` and `error`/,
    });
});

test("messages spell conditions as this language does", () => {
  assert.throws(
    () =>
      quietClient().registerHook("PreToolUse", {
        handler: nothing,
        matcher: { commandPattern: "rm (" },
      }),
    { code: "invalid_matcher", message: /matcher\.commandPattern: `rm \(`/ },
  );
});

await test("protected paths are given one by one, in a list, or both", async () => {
  const register: ((client: HookClient) => unknown)[] = [
    (client) => client.protectPaths("secrets/**", ".env", { for: "any" }),
    (client) => client.protectPaths(["secrets/**", ".env"], { for: "any" }),
    (client) => client.protectPaths(["secrets/**"], ".env", { for: "any" }),
  ];
  for (const protect of register) {
    const client = quietClient();
    protect(client);
    const { reason } = await client.dispatch("PreToolUse", {
      tool: "Bash",
      args: { command: "cat .env" },
    });
    assert.equal(reason, "these files must not be read or changed: secrets/**, .env");
  }
});
