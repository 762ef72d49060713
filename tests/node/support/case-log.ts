/** The audit log of a vector. */

import type { AuditOptions, AuditRecord, HookClient } from "hookweave";

import { newLog } from "./logs.js";
import { camelKeys } from "./spelling.js";
import { PATIENCE } from "./tools.js";
import type { Json, JsonObject } from "./values.js";

/** Keeps a client's audit log, at a level or with options; gives what takes the records since the last look. */
export function keepLog(client: HookClient, audit: Json): () => object[] {
  const records: AuditRecord[] = [];
  const options = (
    typeof audit === "string" ? { level: audit } : camelKeys(audit as JsonObject)
  ) as AuditOptions;
  client.configureAudit({
    ...options,
    ...(options.required === true && { file: newLog() }),
    callback: (record) => records.push(record),
  });
  return () => {
    client.flushAudit(PATIENCE);
    return records.splice(0).map(lasting);
  };
}

/** What of a record is the same in each run, with the payload out of its input. */
function lasting(record: AuditRecord): object {
  const { seq, time, dispatch, hook_id, duration_us, input, prev, hash, ...rest } = record;
  void [seq, time, dispatch, hook_id, duration_us, prev, hash];
  return input?.payload === undefined ? rest : { ...rest, payload: input.payload };
}
