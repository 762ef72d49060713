/** Runs a case of tests/vectors/remote about fleets: one end of one, step by step. */

import type protobuf from "protobufjs";

import type * as Native from "../../../bindings-node/native/native.js";
import {
  bytesOf,
  decode,
  fromAgent,
  fromWorker,
  inBucket,
  local,
  native,
  type RemoteCase,
  type Step,
} from "./remote-case.js";

/** An action as the vectors show it; which messages are delivered to the end, and which it publishes. */
function shown(delivered: protobuf.Type, published: protobuf.Type) {
  return (action: Native.NativeFleetAction): unknown[] => {
    const { kind, group, subject, reply, shared, text, level } = action;
    const message = action.message as Uint8Array;
    switch (kind) {
      case "connect":
      case "drain":
        return [kind];
      case "open":
        return [{ open: group }];
      case "deliver":
        return [{ deliver: decode(delivered, message), group }];
      case "lost":
        return [{ lost: group, why: text }];
      case "subscribe":
        return [{ subscribe: subject, shared }];
      case "unsubscribe":
        return [{ unsubscribe: subject }];
      case "publish": {
        const more = reply === undefined ? {} : { reply };
        return [{ publish: decode(published, message), to: subject, ...more }];
      }
      case "put":
        return [{ put: decode(inBucket, message), at: subject }];
      case "delete":
        return [{ delete: subject }];
      case "log":
        return level === "info" ? [] : [{ log: level, text }];
    }
  };
}

function agentStep(agent: Native.NativeFleetAgent, step: Step, now: number): void {
  const text = (name: string): string => step[name] as string;
  switch (step.do) {
    case "start":
      break;
    case "connected":
      agent.connected(text("inbox"), step["max_payload"] as number);
      break;
    case "entry": {
      const isThere = "message" in step || "hex" in step;
      agent.entry(text("key"), isThere ? bytesOf(inBucket, step) : undefined, now);
      break;
    }
    case "has_all":
      agent.hasAll();
      break;
    case "lost":
      agent.lost(text("why"), now, (step["random"] as number | undefined) ?? 0);
      break;
    case "sent":
      agent.sent(text("group"), bytesOf(fromAgent, step), now);
      break;
    case "closed":
      agent.closed(text("group"), now);
      break;
    case "replied":
      agent.replied(text("subject"), bytesOf(fromWorker, step), now);
      break;
    case "unanswered":
      agent.unanswered(text("subject"));
      break;
    case "tick":
      agent.tick(now);
      break;
    default:
      throw new Error(`unknown step ${step.do}`);
  }
}

function workerStep(worker: Native.NativeFleetWorker, step: Step, now: number): void {
  switch (step.do) {
    case "sent":
      worker.sent(bytesOf(fromWorker, step), now);
      break;
    case "stored":
      worker.stored();
      break;
    case "called":
      worker.called(step["reply"] as string, bytesOf(fromAgent, step), now);
      break;
    case "cancelled":
      worker.cancelled(step["reply"] as string);
      break;
    case "tick":
      worker.tick(now);
      break;
    case "end":
      worker.end();
      break;
    default:
      throw new Error(`unknown step ${step.do}`);
  }
}

function machineOf({ end, settings }: RemoteCase): (step: Step, now: number) => unknown[] {
  if (end === "fleet_agent") {
    const given = local(settings) as unknown as Native.NativeFleetAgentSettings;
    const agent = new native.NativeFleetAgent(given);
    const show = shown(fromWorker, fromAgent);
    return (step, now) => {
      agentStep(agent, step, now);
      return agent.actions().flatMap(show);
    };
  }
  const own = {
    group: "guards",
    instance: "one",
    epoch: 1,
    bucketTtl: 120_000,
  };
  const worker = new native.NativeFleetWorker({
    ...own,
    maxPayload: 1 << 20,
    ...local(settings),
  });
  const show = shown(fromAgent, fromWorker);
  return (step, now) => {
    workerStep(worker, step, now);
    return worker.actions().flatMap(show);
  };
}

/** What comes of each step of a case. */
export function runFleetCase(vector: RemoteCase): unknown[][] {
  const take = machineOf(vector);
  let now = 0;
  return vector.steps.map((step) => {
    now = (step["at"] as number | undefined) ?? now;
    return take(step, now);
  });
}
