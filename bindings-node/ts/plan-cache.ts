/** Plans that hold for further payloads of their event, until a hook changes. */

import type { Fields } from "./event.js";
import type { HookRuntime } from "./hook-runtime.js";
import type { Plan } from "./plan.js";

/** The plans of one event. */
interface EventPlans {
  /** The plan for every payload. */
  always: Plan<HookRuntime> | null;
  /** The plans by tool. */
  byTool: Map<string, Plan<HookRuntime>> | null;
}

/** How many tools are cached per event: hostile payloads could name new ones without end. */
const MAX_TOOLS = 1024;

/** The cached plans of a client. */
export class PlanCache {
  readonly #plans = new Map<string, EventPlans>();

  /** The plan for a payload; `undefined` for an unknown one, and for a payload that may not be a plain object. */
  get(event: string, payload: Fields): Plan<HookRuntime> | undefined {
    const plans = this.#plans.get(event);
    if (plans === undefined || !isObject(payload)) return undefined;
    // Read before the prototype: the compiled code then knows the object's shape, which saves 7 of 65 ns (the bar "Node,
    // 0 matching hooks / bare loop" of docs/BENCHMARKS.md).
    const tool = payload["tool"];
    if (Object.getPrototypeOf(payload) !== Object.prototype) return undefined;
    if (plans.always !== null) return plans.always;
    // A tool that every object inherits is none of this payload.
    if (typeof tool !== "string" || !Object.hasOwn(payload, "tool")) return undefined;
    return plans.byTool?.get(tool);
  }

  /** Keeps a plan for all payloads that it holds for. */
  add(event: string, payload: Fields, plan: Plan<HookRuntime>, holds: "event" | "tool" | "once") {
    if (holds === "event") {
      this.#plans.set(event, { always: plan, byTool: null });
    } else if (
      holds === "tool" &&
      Object.hasOwn(payload, "tool") &&
      typeof payload["tool"] === "string"
    ) {
      let plans = this.#plans.get(event);
      if (plans === undefined) {
        plans = { always: null, byTool: new Map() };
        this.#plans.set(event, plans);
      }
      if (plans.byTool !== null && plans.byTool.size < MAX_TOOLS) {
        plans.byTool.set(payload["tool"], plan);
      }
    }
  }

  clear(): void {
    this.#plans.clear();
  }
}

function isObject(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null;
}
