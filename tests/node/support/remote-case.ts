/** Runs a case of tests/vectors/remote: one end of the protocol, step by step. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import protobuf from "protobufjs";

import type * as Native from "../../../bindings-node/native/native.js";
import { packageFolder } from "./tools.js";

type Json = Record<string, unknown>;

export interface Step extends Json {
  readonly do: string;
  readonly then: unknown[];
}

export interface RemoteCase {
  readonly id: string;
  readonly end: "agent" | "worker" | "fleet_agent" | "fleet_worker";
  readonly settings: Json;
  readonly steps: Step[];
}

const folder = join(packageFolder, "native");
const file = readdirSync(folder).find((name) => name.endsWith(".node")) ?? "";
export const native = createRequire(join(folder, file))(join(folder, file)) as typeof Native;

// Written from the published service, not from the code that is tested.
const text = readFileSync(join(packageFolder, "../proto/hooks.proto"), "utf8");
const service = protobuf.parse(text, { keepCase: true }).root;
export const fromWorker = service.lookupType("HookResponse");
export const fromAgent = service.lookupType("HookEvent");
export const inBucket = service.lookupType("FleetEntry");

const TEXTS: ReadonlySet<string> = new Set(["payload", "modified", "answer", "conditions"]);

/** A message with the bytes that hold JSON as such; vectors have them as text. */
function withBytes(message: unknown): unknown {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return message;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [
      name,
      TEXTS.has(name) && typeof value === "string" ? Buffer.from(value) : withBytes(value),
    ]),
  );
}

function encode(type: protobuf.Type, message: unknown): Uint8Array {
  return type.encode(type.fromObject(withBytes(message) as Json)).finish();
}

export function decode(type: protobuf.Type, bytes: Uint8Array): unknown {
  return bare(type.toObject(type.decode(bytes), { longs: Number }));
}

/** A message of a worker; bytes that hold JSON are text. */
export function encodeFromWorker(message: unknown): Uint8Array {
  return encode(fromWorker, message);
}

/** A message of an agent, with what it sets. */
export function decodeFromAgent(bytes: Uint8Array): unknown {
  return decode(fromAgent, bytes);
}

/** Takes away what a message does not set; what is empty and set stays. */
function bare(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const isSet = (part: unknown): boolean =>
    part !== undefined &&
    part !== null &&
    part !== 0 &&
    part !== false &&
    part !== "" &&
    !(Array.isArray(part) && part.length === 0);
  const fields = Object.entries(value).filter(([, part]) => isSet(part));
  return Object.fromEntries(fields.map(([name, part]) => [name, bare(part)]));
}

export function bytesOf(type: protobuf.Type, step: Json): Uint8Array {
  if (typeof step["hex"] === "string") return Buffer.from(step["hex"], "hex");
  if (typeof step["zeros"] === "number") return new Uint8Array(step["zeros"]);
  return encode(type, step["message"]);
}

function resultOf(completion: string): unknown {
  const { answer, failed } = JSON.parse(completion) as {
    answer?: unknown;
    failed?: Json;
  };
  if (failed !== undefined) {
    const { kind, message, restricts } = failed;
    return bare({ failed: kind, message, restricts });
  }
  return answer === undefined ? "nothing" : { answer };
}

export function local(settings: Json): Json {
  const spelled = (name: string): string =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      spelled(name),
      name === "grants" ? local(value as Json) : value,
    ]),
  );
}

class Agent {
  readonly #hub: Native.NativeHub;

  constructor(settings: Json) {
    this.#hub = new native.NativeHub(new native.NativeClient({}, []), local(settings));
  }

  take(step: Step, now: number): unknown[] {
    const hub = this.#hub;
    const number = (name: string): number => step[name] as number;
    switch (step.do) {
      case "open":
        hub.opened(now);
        break;
      case "receive":
        hub.receive(number("on"), bytesOf(fromWorker, step), now);
        break;
      case "lost":
        hub.lost(number("on"), step["why"] as string);
        break;
      case "registered":
        hub.registered(number("registration"), step["refusal"] as string | undefined);
        break;
      case "call":
        this.#call(step, now);
        break;
      case "cancel":
        hub.cancel(number("call"), now);
        break;
      case "tick":
        hub.tick(now);
        break;
      case "close":
        hub.close();
        break;
      default:
        throw new Error(`unknown step ${step.do}`);
    }
    return hub.actions().flatMap((action) => this.#shown(action));
  }

  #call(step: Step, now: number): void {
    const [registration, limit] = [step["registration"], step["limit_ms"]] as [number, number?];
    const parent = step["traceparent"] as string | undefined;
    const event = JSON.stringify(step["payload"] ?? {});
    const call = {
      name: "PreToolUse",
      event,
      depth: 0,
      ...(limit === undefined ? {} : { limit }),
      ...(parent === undefined ? {} : { traceParent: parent }),
    };
    for (let times = (step["times"] as number | undefined) ?? 1; times > 0; times--)
      this.#hub.call(registration, call, now);
  }

  #shown(action: Native.NativeHubAction): unknown[] {
    const { kind, number, message, text = "", level, refused, code } = action;
    switch (kind) {
      case "send":
        return [{ send: decode(fromAgent, message as Uint8Array), on: number }];
      case "close":
        return [{ close: number, reason: text }];
      case "register": {
        const hook = JSON.parse(this.#hub.offer(number) as string) as Json;
        return [{ register: number, worker: text, hook: bare(hook) }];
      }
      case "unregister":
        return [{ unregister: number }];
      case "finished":
        return [{ finished: number, with: resultOf(text) }];
      case "log":
        if (refused !== undefined) return [{ log: level, text, refused, code }];
        return level === "info" ? [] : [{ log: level, text }];
    }
  }
}

class Worker {
  readonly #end: Native.NativeWorkerEnd;

  constructor(settings: Json) {
    this.#end = new native.NativeWorkerEnd({
      ...local(settings),
      name: "guard",
      instance: "one",
    });
  }

  take(step: Step, now: number): unknown[] {
    const end = this.#end;
    const random = (step["random"] as number | undefined) ?? 0;
    switch (step.do) {
      case "start":
        break;
      case "offer":
        end.offer(JSON.stringify(step["hooks"]), now);
        break;
      case "opened":
        end.opened(now);
        break;
      case "receive":
        end.receive(bytesOf(fromAgent, step), now, random);
        break;
      case "lost":
        end.lost(step["why"] as string, now, random);
        break;
      case "answered":
        end.answered(BigInt(step["dispatch"] as number), completionOf(step));
        break;
      case "tick":
        end.tick(now, random);
        break;
      case "leave":
        end.leave();
        break;
      default:
        throw new Error(`unknown step ${step.do}`);
    }
    return end.actions().flatMap(shownOfWorker);
  }
}

function completionOf({ failed, answer }: Json): string {
  return JSON.stringify(
    failed === undefined ? { answer } : { failed: { kind: "raised", message: failed } },
  );
}

function shownOfWorker(action: Native.NativeWorkerAction): unknown[] {
  const { kind, message, text = "", dispatch, hook, event, at, traceParent, state, level } = action;
  switch (kind) {
    case "connect":
      return ["connect"];
    case "send":
      return [{ send: decode(fromWorker, message as Uint8Array) }];
    case "close":
      return [{ close: text }];
    case "run": {
      const { payload } = JSON.parse(text) as Json;
      const traceparent = traceParent === undefined ? {} : { traceparent: traceParent };
      const run = Number(dispatch);
      return [{ run, hook, event, payload, deadline: at ?? null, ...traceparent }];
    }
    case "cancel":
      return [{ cancel: Number(dispatch) }];
    case "state":
      return [
        {
          state,
          ...(at === undefined ? {} : { until: at }),
          ...(action.text === undefined ? {} : { reason: text }),
        },
      ];
    case "log":
      return level === "info" ? [] : [{ log: level, text }];
  }
}

/** What comes of each step of a case. */
export function runCase({ end, settings, steps }: RemoteCase): unknown[][] {
  const machine = end === "agent" ? new Agent(settings) : new Worker(settings);
  let now = 0;
  return steps.map((step) => {
    now = (step["at"] as number | undefined) ?? now;
    return machine.take(step, now);
  });
}
