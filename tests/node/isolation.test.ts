/** A hook's changes to an event that is more than JSON have no effect, except in `modified`. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";

import type { ClientOptions } from "hookweave";

import { quietClient } from "./support/tools.js";

class Box {
  command = "ls";
  list: unknown[] = [{ deep: 1 }];
  readonly #secret = { kept: true };

  get secret(): object {
    return this.#secret;
  }

  write(command: string): void {
    this.command = command;
  }

  read(): string {
    return this.command;
  }
}

class Tags extends Map<string, unknown> {}

type Args = Record<string, unknown>;
type Change = (value: never) => void;

/** Values, and what a hook does to each. */
const ATTACKS: Readonly<Record<string, readonly [make: () => unknown, change: Change]>> = {
  "a map": [
    () => new Map([["a", { deep: 1 }]]),
    (map: Map<string, { deep: number }>) => {
      (map.get("a") as { deep: number }).deep = 2;
      map.clear();
    },
  ],
  "a class of maps": [() => new Tags([["a", []]]), (tags: Tags) => tags.set("b", 1)],
  "a set": [() => new Set([1]), (set: Set<number>) => set.add(2)],
  "a date": [() => new Date(0), (date: Date) => date.setTime(1)],
  bytes: [() => Uint8Array.of(1, 2), (bytes: Uint8Array) => bytes.fill(9)],
  "a buffer": [() => Buffer.from("ls"), (buffer: Buffer) => buffer.write("rm")],
  memory: [() => new ArrayBuffer(2), (memory: ArrayBuffer) => new Uint8Array(memory).fill(9)],
  "shared memory": [
    () => new Uint8Array(new SharedArrayBuffer(2)),
    (bytes: Uint8Array) => new Uint8Array(bytes.buffer).fill(9),
  ],
  "a view of memory": [
    () => new DataView(new ArrayBuffer(2)),
    (view: DataView) => {
      view.setInt8(0, 9);
    },
  ],
  "an expression": [
    () => /a/gu,
    (expression: RegExp) => {
      expression.lastIndex = 1;
    },
  ],
  "an address": [
    () => new URL("https://example.com/a"),
    (address: URL) => {
      address.hostname = "evil.example";
      address.searchParams.set("a", "b");
    },
  ],
  "an instance": [
    () => new Box(),
    (box: Box) => {
      box.command = "rm";
    },
  ],
  "an instance, by a method": [
    () => new Box(),
    (box: Box) => {
      box.write("rm");
    },
  ],
  "what an instance holds": [
    () => new Box(),
    (box: Box) => {
      (box.list[0] as { deep: number }).deep = 2;
    },
  ],
  "a list of an instance": [
    () => new Box(),
    (box: Box) => {
      box.list.push(2);
    },
  ],
  "an instance, by its definition": [
    () => new Box(),
    (box: Box) => Object.defineProperty(box, "command", { value: "rm" }),
  ],
  "an instance, by its descriptor": [
    () => new Box(),
    (box: Box) => {
      const { value } = Object.getOwnPropertyDescriptor(box, "list") as { value: unknown[] };
      value.length = 0;
    },
  ],
  "an instance, by Object.assign": [
    () => new Box(),
    (box: Box) => Object.assign(box, { command: "rm" }),
  ],
  "an instance, deleted from": [
    () => new Box(),
    (box: Partial<Box>) => {
      delete box.command;
    },
  ],
  "the prototype of an instance": [
    () => new Box(),
    (box: Box) => Object.setPrototypeOf(box, null) as unknown,
  ],
  "a frozen instance": [
    () => Object.freeze(new Box()),
    (box: Box) => {
      box.list.length = 0;
    },
  ],
  "an instance behind a getter": [
    () => new Box(),
    (box: Box) => Object.assign(box.secret, { kept: false }),
  ],
  "a function's own fields": [
    () => Object.assign(() => 1, { limit: { most: 1 } }),
    (call: { limit: { most: number } }) => {
      call.limit.most = 9;
    },
  ],
  "an error": [
    () => new Error("mine"),
    (error: Error) => {
      error.message = "other";
    },
  ],
  "an object without prototype": [
    () => Object.assign(Object.create(null) as object, { inner: { a: 1 } }),
    (object: { inner: { a: number } }) => {
      object.inner.a = 2;
    },
  ],
  "an object of another realm": [
    () => runInNewContext("({ inner: { a: 1 }, list: [1], map: new Map([[1, {}]]) })") as unknown,
    (object: { inner: { a: number }; list: number[]; map: Map<number, unknown> }) => {
      object.inner.a = 2;
      object.list.push(2);
      object.map.clear();
    },
  ],
  "behind a symbol": [
    () => ({ [Symbol.for("tests.hidden")]: { a: 1 } }),
    (object: Record<symbol, { a: number }>) => {
      (object[Symbol.for("tests.hidden")] as { a: number }).a = 2;
    },
  ],
  "behind a getter": [
    () => {
      const inner = { a: 1 };
      return {
        get inner() {
          return inner;
        },
      };
    },
    (object: { inner: { a: number } }) => {
      object.inner.a = 2;
    },
  ],
  "through a setter": [
    () => {
      let value = 1;
      return {
        get value() {
          return value;
        },
        set value(given: number) {
          value = given;
        },
      };
    },
    (object: { value: number }) => {
      object.value = 2;
    },
  ],
  "behind a proxy": [
    () => new Proxy({ inner: { a: 1 } }, {}),
    (object: { inner: { a: number } }) => {
      object.inner.a = 2;
    },
  ],
  "a list with a class": [
    () => Object.assign(new (class List extends Array<unknown> {})(), { 0: { a: 1 } }),
    (list: { a: number }[]) => {
      (list[0] as { a: number }).a = 2;
      list.push({ a: 3 });
    },
  ],
};

/** All that can be seen of a value. */
function picture(value: unknown): string {
  return inspect(value, { depth: 9, showHidden: true, getters: true });
}

describe("a hook that changes the event in place", () => {
  for (const [name, [make, change]] of Object.entries(ATTACKS)) {
    test(`${name}: changes it for nobody`, async () => {
      const client = quietClient();
      const given = make();
      const before = picture(given);
      const seen: string[] = [];
      const attack = (event: { args: object }): undefined => {
        const { value, inside } = event.args as Args;
        for (const target of [value, (inside as { it: unknown }).it]) {
          try {
            change(target as never);
          } catch (error) {
            assert.ok(error instanceof TypeError, String(error));
          }
        }
      };
      client.registerHook("PreToolUse", attack);
      client.registerHook("PreToolUse", ({ args }) => {
        seen.push(picture((args as Args)["value"]));
      });
      client.registerHook("PreToolUse", { handler: attack, config: { async: true } });
      const args = { value: given, inside: { it: given } };
      const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args });
      await client.drain();
      assert.equal(picture(given), before);
      assert.equal(args.value, given);
      assert.deepEqual(outcome.modified, []);
      assert.deepEqual(outcome.votes, []);
      if (typeof given !== "function") assert.deepEqual(seen.length, 1);
    });
  }
});

describe("a host that changes its object while a hook of a gate is waited for", () => {
  const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go));

  function latch(): { open: () => void; opened: Promise<void> } {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  }

  /** Dispatches, changes the arguments once a hook waits, and gives what was seen and what the outcome gives back. */
  async function changed(
    options: ClientOptions,
  ): Promise<[seen: unknown[], given: unknown, kept: Box]> {
    const client = quietClient(options);
    const [begun, goOn] = [latch(), latch()];
    const seen: unknown[] = [];
    client.registerHook("PreToolUse", async ({ args }) => {
      const { command } = args as Args;
      begun.open();
      await goOn.opened;
      seen.push(command);
    });
    for (let count = 0; count < 2; count++) {
      client.registerHook("PreToolUse", async (event) => {
        await goOn.opened;
        seen.push(picture((event.args as Args)["flags"]));
      });
    }
    const box = new Box();
    const args: Args = { command: "ls", flags: ["-l"], box };
    const running = client.dispatch("PreToolUse", { tool: "Bash", args });
    await begun.opened;
    await nextTurn();
    args["command"] = "rm -rf /";
    (args["flags"] as string[]).push("/");
    goOn.open();
    const outcome = await running;
    assert.deepEqual(outcome.modified, []);
    const { command, flags, box: kept } = outcome.event.args as Args;
    return [seen, { command, flags }, kept as Box];
  }

  for (const mode of ["sequential", "parallel"] as const) {
    test(`gets back what was judged: ${mode}`, async () => {
      const [seen, given, kept] = await changed({ mode });
      const flags = picture(["-l"]);
      assert.deepEqual(seen, ["ls", flags, flags]);
      assert.deepEqual(given, { command: "ls", flags: ["-l"] });
      assert.ok(kept instanceof Box && kept.read() === "ls");
    });
  }

  test("gets back what a hook made of it before another one waited", async () => {
    const client = quietClient();
    const payload = { tool: "Bash", args: { command: "ls" }, metadata: { about: ["it"] } };
    client.registerHook("PreToolUse", () => ({ modified: { args: { command: "ls -l" } } }));
    client.registerHook("PreToolUse", async () => {
      await nextTurn();
      payload.args.command = "rm";
      payload.metadata.about.push("else");
    });
    const outcome = await client.dispatch("PreToolUse", payload);
    assert.deepEqual({ ...outcome.event.args }, { command: "ls -l" });
    assert.deepEqual(outcome.event.metadata, { about: ["it"] });
    assert.deepEqual(outcome.toJSON()["original"], { args: { command: "ls" } });
  });

  test("keeps a result, which nobody approves any more, as it is", async () => {
    const client = quietClient();
    let read = 0;
    const result = {
      get output(): string {
        read++;
        return "long";
      },
    };
    client.registerHook("PostToolUse", nextTurn);
    await client.dispatch("PostToolUse", { tool: "Bash", args: {}, result });
    assert.equal(read, 0);
  });
});

describe("an event with more than JSON", () => {
  /** What a hook makes of an argument. */
  async function seen<R>(value: unknown, look: (value: never) => R): Promise<R | undefined> {
    const client = quietClient();
    let found: R | undefined;
    client.registerHook("PreToolUse", ({ args }) => {
      found = look((args as Args)["value"] as never);
    });
    const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: { value } });
    assert.equal(outcome.trace[0]?.failure ?? null, null);
    return found;
  }

  test("shows what it holds", async () => {
    assert.equal(await seen(new Date(5), (date: Date) => date.getTime()), 5);
    assert.equal(await seen(Buffer.from("ls"), (buffer: Buffer) => buffer.toString()), "ls");
    assert.equal(await seen(new URL("https://a.b/c"), String), "https://a.b/c");
    assert.equal(await seen(/a+/iu, (it: RegExp) => it.test("AA")), true);
    assert.equal(
      await seen(new Tags([["a", 1]]), (it: Tags) => it instanceof Tags && it.get("a") === 1),
      true,
    );
    assert.equal(
      await seen(new Error("mine"), (it: Error) => it instanceof Error && String(it)),
      "Error: mine",
    );
    assert.equal(
      await seen(
        (a: number) => a + 1,
        (it: (a: number) => number) => it(1),
      ),
      2,
    );
  });

  test("shows instances as what they are", async () => {
    const box = new Box();
    assert.equal(await seen(box, (it: Box) => it instanceof Box && it !== box), true);
    assert.equal(await seen(box, (it: Box) => it.read()), "ls");
    assert.deepEqual(await seen(box, (it: Box) => Object.keys(it)), ["command", "list"]);
    assert.equal(await seen(box, (it: Box) => JSON.stringify(it)), JSON.stringify(box));
    assert.equal(await seen(box, (it: Box) => inspect(it)), inspect(box));
    assert.equal(await seen(box, (it: Box) => Array.isArray(it.list) && [...it.list].length), 1);
    assert.equal(await seen(box, (it: Box) => it.list === it.list && "command" in it), true);
  });

  test("goes on to the host as it came when a hook hands it on", async () => {
    const client = quietClient();
    const box = new Box();
    client.registerHook("PreToolUse", ({ args }) => ({
      modified: { args: { ...args, inner: (args as unknown as { box: Box }).box.list, more: 1 } },
    }));
    const session = client.session({ permissions: "allow" });
    let ran: Record<string, unknown> = {};
    await session.runTool("X", { box }, (args) => {
      ran = args;
    });
    assert.equal(ran["box"], box);
    assert.equal(ran["more"], 1);
    assert.ok(isDeepStrictEqual(ran["inner"], box.list));
    const outcome = await client.dispatch("PreToolUse", { tool: "X", args: { box } });
    assert.equal((outcome.event.args as unknown as { box: Box }).box, box);
  });

  test("cannot be given an object that a hook goes on holding", async () => {
    const client = quietClient();
    const box = new Box();
    client.registerHook("PreToolUse", () => ({ modified: { args: { box } } }));
    const outcome = await client.dispatch("PreToolUse", { tool: "X", args: {} });
    assert.equal(outcome.blocked, true);
    assert.match(outcome.reason ?? "", /an instance of Box cannot be copied/);
    const date = new Date(0);
    const other = quietClient();
    other.registerHook("PreToolUse", () => ({ modified: { args: { date } } }));
    other.registerHook("PreToolUse", () => {
      date.setTime(1);
    });
    const final = await other.dispatch("PreToolUse", { tool: "X", args: {} });
    assert.equal((final.event.args as { date: Date }).date.getTime(), 0);
  });

  test("shows an approver nothing that it could change", async () => {
    const client = quietClient();
    const box = new Box();
    const session = client.session({
      permissions: "ask",
      approval: ({ args }) => {
        assert.throws(() => {
          (args as unknown as { box: Box }).box.command = "rm";
        }, TypeError);
        (args as unknown as { tags: Map<string, number> }).tags.clear();
        return "Allow once";
      },
    });
    const tags = new Map([["a", 1]]);
    let command = "";
    const outcome = await session.runTool("X", { box, tags }, (args) => {
      command = `${(args as { box: Box }).box.command} ${String((args as { tags: Map<string, number> }).tags.size)}`;
    });
    assert.equal(outcome.ok, true);
    assert.equal(command, "ls 1");
  });
});
