/** A Messages API on this machine whose model is a script, for the real Claude Code. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { Seen, Turn } from "./world.js";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

interface Request {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly Block[];
  }[];
}

/** Answers what has tools from the script, a subagent's from its own, and anything else with a word. */
export class MessagesApi {
  readonly #turns: Turn[];
  readonly #seen: Seen;
  readonly #prefix: string;
  readonly #subagent: Turn[];
  readonly #server: Server;

  constructor(turns: Turn[], seen: Seen, prefix: string, subagent: Turn[]) {
    this.#turns = turns;
    this.#seen = seen;
    this.#prefix = prefix;
    this.#subagent = subagent;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Its address, from now on. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers no more. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const send = (status: number, type: string, said: string): void => {
      response.writeHead(status, { "content-type": type }).end(said);
    };
    const url = request.url ?? "";
    if (request.method !== "POST" || !url.includes("/v1/messages")) {
      send(404, "application/json", "{}");
    } else if (url.includes("count_tokens")) {
      send(200, "application/json", '{"input_tokens": 10}');
    } else {
      const given = JSON.parse(body) as Request;
      const content = this.#contentOf(given);
      const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
      const usage = { input_tokens: 1, output_tokens: 1 };
      const head = { id: "msg_1", type: "message", role: "assistant", model: given.model, usage };
      const message = { ...head, stop_sequence: null, content, stop_reason };
      if (given.stream === true) send(200, "text/event-stream", eventsOf(message));
      else send(200, "application/json", JSON.stringify(message));
    }
  }

  #contentOf({ tools = [], messages }: Request): Block[] {
    if (tools.length === 0) return [{ type: "text", text: "ok" }];
    const lines = messages.flatMap(({ role, content }) => {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return blocks.map((block: Block) => {
        if (block.tool_use_id !== undefined)
          this.#seen.failed[block.tool_use_id] = block.is_error === true;
        return `[${role}:${block.type}] ${shown(block)}`;
      });
    });
    const inner = lines.some((line) => line.startsWith("[user:text] SUBAGENT"));
    // Each run has a home of its own.
    if (!inner) this.#seen.requests.push(lines.join("\n").replace(/claude-home-\w+/g, "home"));
    const turn = (inner ? this.#subagent : this.#turns).shift() ?? "out of script";
    if (typeof turn === "string") return [{ type: "text", text: turn }];
    return turn.map(({ name, args, id }) => {
      const known = name === "Agent" ? name : this.#prefix + name;
      return { type: "tool_use", id, name: known, input: args };
    });
  }
}

function shown({ text: said, content, input }: Block): string {
  if (said !== undefined) return said;
  if (typeof content === "string") return content;
  return content?.map((part) => part.text ?? "").join("") ?? JSON.stringify(input ?? "");
}

function eventsOf(message: { content: Block[]; stop_reason: string }): string {
  const blocks = message.content.flatMap((block, index) => {
    const isText = block.type === "text";
    const content_block = isText ? { type: "text", text: "" } : { ...block, input: {} };
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    return [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
  });
  const delta = { stop_reason: message.stop_reason, stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
