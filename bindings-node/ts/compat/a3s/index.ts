/** A3S's SDK: hooks that were written for it run here with another import path and nothing else. */

export { A3sClient } from "./client.js";
export type { A3sOptions, HookConfig, HookDefinition, HookMatcher } from "./client.js";
export type { Configuration } from "./configuration.js";
export type * from "./events.js";
export { HookweaveError } from "../../errors.js";
