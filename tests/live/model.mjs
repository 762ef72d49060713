/** A model on the loopback interface that says what a script says, in the form in which an agent asks. */
import { createServer } from "node:http";
import { once } from "node:events";

/**
 * Serves a script until `close`.
 *
 * A turn is a text, a call `{ tool, args }` or `{ tool, input }`, or a function that gives one when its turn comes. Only
 * requests that offer the tool which the script calls first advance it: agents also ask for titles and summaries.
 */
export async function scripted(turns) {
  /** Every request that advanced the script. */
  const requests = [];
  const needed = turns
    .map((turn) => (typeof turn === "function" ? undefined : turn.tool))
    .find(Boolean);
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { pathname } = new URL(request.url, "http://model");
    const form = FORMS.find(({ path }) => path.test(pathname));
    if (form === undefined) return reply(response, "application/json", JSON.stringify(OTHERWISE));
    const isTurn = form.offered(body).includes(needed);
    if (isTurn) requests.push(body);
    const turn = isTurn ? (turns[requests.length - 1] ?? "the end") : "a title";
    const said = typeof turn === "function" ? turn() : turn;
    const part =
      typeof said === "string" ? { text: said } : { ...said, id: `call_${requests.length}` };
    const isStreamed = body.stream === true || pathname.endsWith(":streamGenerateContent");
    const answer = form.answer(part, body);
    if (!isStreamed) return reply(response, "application/json", JSON.stringify(answer));
    reply(response, "text/event-stream", form.stream(answer, part).map(lines).join(""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** What a model that speaks chat completions was told of its call number `index`, from 0. */
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

async function bodyOf(request) {
  let text = "";
  for await (const piece of request) text += piece;
  return text === "" ? {} : JSON.parse(text);
}

function reply(response, kind, text) {
  response.setHeader("content-type", kind);
  response.end(text);
}

const lines = ({ event, data }) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

function textOf(content) {
  if (!Array.isArray(content)) return content ?? "";
  return content.map(({ text }) => text ?? "").join("\n");
}

/** What counts tokens or lists models gets. */
const OTHERWISE = { object: "list", data: [], models: [], input_tokens: 10, totalTokens: 10 };

const named = (tools) => (tools ?? []).map((tool) => (tool.function ?? tool).name);

/** OpenAI's chat completions. */
const chat = {
  path: /\/chat\/completions$/,
  offered: ({ tools }) => named(tools),
  answer({ text, tool, args, id }) {
    const call = { name: tool, arguments: JSON.stringify(args) };
    const message =
      tool === undefined
        ? { role: "assistant", content: text }
        : {
            role: "assistant",
            content: null,
            tool_calls: [{ index: 0, id, type: "function", function: call }],
          };
    const choices = [
      { index: 0, message, finish_reason: tool === undefined ? "stop" : "tool_calls" },
    ];
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    return {
      id: "chatcmpl-1",
      created: 1,
      model: "scripted",
      object: "chat.completion",
      usage,
      choices,
    };
  },
  stream({ choices: [{ message, finish_reason }], usage, ...rest }) {
    const chunk = (choices) => ({ data: { ...rest, object: "chat.completion.chunk", ...choices } });
    return [
      chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      chunk({ choices: [], usage }),
      { data: "[DONE]" },
    ];
  },
};

/** OpenAI's responses. */
const responses = {
  path: /\/responses$/,
  offered: ({ tools }) =>
    (tools ?? []).flatMap((tool) =>
      tool.type === "namespace" ? named(tool.tools) : named([tool]),
    ),
  answer(part, body) {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    };
    const about = { id: "resp_1", object: "response", created_at: 1, status: "completed" };
    return { ...about, model: body.model, output: [itemOf(part)], usage };
  },
  stream(answer, { text }) {
    const [item] = answer.output;
    const of = { output_index: 0, item_id: item.id };
    const part = { ...of, content_index: 0 };
    const event = (type, rest) => ({ event: type, data: { type, ...rest } });
    const isText = text !== undefined;
    const opened = { ...item, status: "in_progress", ...(isText ? { content: [] } : {}) };
    const pieces = [
      event("response.content_part.added", { ...part, part: { ...item.content?.[0], text: "" } }),
      event("response.output_text.delta", { ...part, delta: text }),
      event("response.output_text.done", { ...part, text }),
      event("response.content_part.done", { ...part, part: item.content?.[0] }),
    ];
    return [
      event("response.created", {
        response: { ...answer, status: "in_progress", output: [], usage: null },
      }),
      event("response.output_item.added", { ...of, item: opened }),
      ...(isText ? pieces : []),
      event("response.output_item.done", { ...of, item }),
      event("response.completed", { response: answer }),
    ];
  },
};

function itemOf({ text, tool: name, args, input, id }) {
  if (name === undefined) {
    const content = [{ type: "output_text", text, annotations: [] }];
    return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  }
  const call = { call_id: id, name, status: "completed" };
  if (input !== undefined) return { type: "custom_tool_call", id: `ctc_${id}`, ...call, input };
  return { type: "function_call", id: `fc_${id}`, ...call, arguments: JSON.stringify(args) };
}

/** Anthropic's messages. */
const messages = {
  path: /\/messages$/,
  offered: ({ tools }) => named(tools),
  answer({ text, tool: name, args: input, id }, body) {
    const block =
      name === undefined
        ? { type: "text", text }
        : { type: "tool_use", id: `toolu_${id}`, name, input };
    return {
      id: `msg_${id ?? 0}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [block],
      stop_reason: name === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        output_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    };
  },
  stream(message) {
    const { stop_reason, content } = message;
    const [block] = content;
    const isText = block.type === "text";
    const content_block = { ...block, ...(isText ? { text: "" } : { input: {} }) };
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    const event = (type, rest) => ({ event: type, data: { type, ...rest } });
    return [
      event("message_start", { message: { ...message, content: [], stop_reason: null } }),
      event("content_block_start", { index: 0, content_block }),
      event("content_block_delta", { index: 0, delta }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 10 },
      }),
      event("message_stop", {}),
    ];
  },
};

/** Gemini's contents. */
const contents = {
  path: /:(streamG|g)enerateContent$/,
  offered: ({ tools }) =>
    (tools ?? []).flatMap(({ functionDeclarations }) => named(functionDeclarations)),
  answer({ text, tool: name, args }) {
    const parts = [name === undefined ? { text } : { functionCall: { name, args } }];
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 };
    const candidates = [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }];
    return { candidates, usageMetadata, modelVersion: "scripted" };
  },
  stream: (answer) => [{ data: answer }],
};

const FORMS = [chat, responses, messages, contents];
