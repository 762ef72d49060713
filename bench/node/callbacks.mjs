/** Callbacks in Node: hookweave, the bare loop, the same features in plain JavaScript, and three packages. */

import { Hookable } from "hookable";
import { Hookified } from "hookified";
import tapable from "tapable";
import { repeat, serve, version } from "./harness.mjs";
import { PlainHooks } from "./plain.mjs";
import { EVENT, PAYLOAD, clientWith, dispatching, floor, silent, unlimited } from "./subjects.mjs";

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function plain(count) {
  const hooks = new PlainHooks();
  for (let i = 0; i < count; i++) hooks.register(EVENT, "Bash", `hook${i}`, async (_event) => undefined);
  return repeat(() => hooks.dispatch(EVENT, PAYLOAD));
}

function tapped() {
  const hook = new tapable.AsyncSeriesWaterfallHook(["event"]);
  hook.tapPromise("hook0", async (event) => event);
  return repeat(() => hook.promise(PAYLOAD));
}

function hookified() {
  const hooks = new Hookified();
  hooks.onHook({ event: EVENT, handler: async (_event) => undefined });
  return repeat(() => hooks.hook(EVENT, PAYLOAD));
}

function hookable() {
  const hooks = new Hookable();
  hooks.hook(EVENT, async (_event) => undefined);
  return repeat(() => hooks.callHook(EVENT, PAYLOAD));
}

await serve(
  {
    "floor, 0 hooks": floor([]),
    "hookweave, 0 of 1 hooks match": dispatching(clientWith(silent, 0)),
    "hookweave, no hooks": dispatching(unlimited()),
    "floor, 1 async hook": floor([silent]),
    "hookweave, 1 async hook": dispatching(clientWith(silent, 1)),
    "plain JavaScript, 1 async hook": plain(1),
    "hookweave, 1 sync hook": dispatching(clientWith(() => undefined, 1)),
    "floor, 10 async hooks": floor(times(10, () => silent)),
    "hookweave, 10 async hooks": dispatching(clientWith(silent, 10)),
    "plain JavaScript, 10 async hooks": plain(10),
    "tapable AsyncSeriesWaterfall, 1 async hook": tapped(),
    "hookified, 1 async hook": hookified(),
    "hookable, 1 async hook": hookable(),
  },
  {
    hookweave: await version("hookweave"),
    tapable: await version("tapable"),
    hookified: await version("hookified"),
    hookable: await version("hookable"),
  },
);
