/** A3S's client, on top of the engine's. */

import type { ClientOptions } from "../../client-options.js";
import type { Handler, HookDefinition as EngineDefinition } from "../../registration.js";
import { HookClient } from "../../client.js";
import { ownFields } from "../../own-fields.js";
import type { CustomEventName, EventName } from "../../event-types.js";
import type { TemporaryHook } from "../../temporary-hook.js";
import { defaultsOf, type Configuration } from "./configuration.js";
import type { HookEventType, HookHandler } from "./events.js";
import { readDefinition } from "./reading.js";

/** Which events a hook is for. */
export interface HookMatcher {
  /** The tool's whole name. */
  tool?: string;
  /** A glob over the event's file paths; without `/` it looks at the base name. */
  pathPattern?: string;
  /** A regular expression over the command. */
  commandPattern?: string;
}

/** How a hook runs. */
export interface HookConfig {
  /** Lower runs earlier. */
  priority?: number;
  /** Timeout in milliseconds. Default: 5000. */
  timeout?: number;
  /** Started and not awaited. */
  async?: boolean;
  /** The effect of a failed hook. */
  failBehavior?: "continue" | "block";
}

/** A hook with its settings. */
export interface HookDefinition<K extends HookEventType = HookEventType> {
  handler: HookHandler<K>;
  matcher?: HookMatcher;
  config?: HookConfig;
}

/** The engine's settings; the profile is A3S's. */
export interface A3sOptions extends Omit<ClientOptions, "profile"> {
  /** A file with A3S's defaults, or what stands in one; settings that are given beside it count. */
  config?: Configuration;
}

/**
 * Registers hooks and runs them by A3S's rules: those of one event and priority run together (with `mode: "concurrent"`
 * all of the event), ten of an event and fifty in all. Each has five seconds, and one that fails lets the action pass unless
 * its `failBehavior` is `block`.
 *
 * Everything else is `HookClient`'s: `registerTool` for what `executeTool` runs, `session`, `dispatch`, `load`.
 */
export class A3sClient extends HookClient {
  /** Throws `invalid_option`, and `invalid_config` for a configuration with mistakes. */
  constructor(given: A3sOptions = {}) {
    const { config, ...options } = ownFields(given);
    super({ ...defaultsOf(config), ...options, profile: "a3s" });
  }

  /** Registers a hook and gives its id. */
  override registerHook<K extends HookEventType>(
    event: K,
    hook: HookHandler<K> | HookDefinition<K>,
  ): string;
  override registerHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | EngineDefinition<NoInfer<N>>,
  ): string;
  override registerHook(event: string, hook: unknown): string {
    return super.registerHook(event as CustomEventName, readDefinition(event, hook) as never);
  }

  /** Registers a hook until the block ends that it is declared in. */
  override temporaryHook<K extends HookEventType>(
    event: K,
    hook: HookHandler<K> | HookDefinition<K>,
  ): TemporaryHook;
  override temporaryHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | EngineDefinition<NoInfer<N>>,
  ): TemporaryHook;
  override temporaryHook(event: string, hook: unknown): TemporaryHook {
    return super.temporaryHook(event as CustomEventName, readDefinition(event, hook) as never);
  }
}
