/** A model on the loopback interface that says what a script says, in the form of OpenAI's chat completions. */
import { createServer } from "node:http";
import { once } from "node:events";

/**
 * Serves a script until `close`.
 *
 * A turn is a text, or a call `{ tool, args }`. Only requests that offer tools advance the script: agents also ask for titles.
 */
export async function scripted(turns) {
  /** Every request that advanced the script. */
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const body = text === "" ? {} : JSON.parse(text);
    const isTurn = (body.tools ?? []).length > 0;
    const turn = isTurn ? (turns[requests.length] ?? "the end") : "a title";
    if (isTurn) requests.push(body);
    const message = messageOf(turn, requests.length);
    const reason = message.tool_calls === undefined ? "stop" : "tool_calls";
    response.setHeader("content-type", body.stream ? "text/event-stream" : "application/json");
    response.end(body.stream ? streamed(message, reason) : whole(message, reason));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    /** What the model was told of its call number `index`, from 0. */
    toldOf: (index) => {
      const results = (requests.at(-1)?.messages ?? []).filter(({ role }) => role === "tool");
      return textOf(results[index]?.content);
    },
    /** All that the model was told. */
    told: () => JSON.stringify(requests),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function messageOf(turn, number) {
  if (typeof turn === "string") return { role: "assistant", content: turn };
  const { tool: name, args } = turn;
  const call = { name, arguments: JSON.stringify(args) };
  const id = `call_${number}`;
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id, type: "function", function: call }],
  };
}

const BASE = { id: "chatcmpl-1", created: 1, model: "scripted" };
const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

function whole(message, finish_reason) {
  const choices = [{ index: 0, message, finish_reason }];
  return JSON.stringify({ ...BASE, object: "chat.completion", usage: USAGE, choices });
}

function streamed(delta, finish_reason) {
  const chunk = (rest) => ({ ...BASE, object: "chat.completion.chunk", ...rest });
  const chunks = [
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
    chunk({ choices: [], usage: USAGE }),
  ];
  const lines = [...chunks.map((one) => JSON.stringify(one)), "[DONE]"];
  return lines.map((line) => `data: ${line}\n\n`).join("");
}

function textOf(content) {
  if (!Array.isArray(content)) return content ?? "";
  return content.map(({ text }) => text ?? "").join("\n");
}
