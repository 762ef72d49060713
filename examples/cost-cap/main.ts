/** Adds up what the model costs, warns before the budget is spent, and stops the agent when it is. */

import { HookClient, HookResponse, type GenerateEndEvent, type ModelResponse, type ModelRequest } from "hookweave";

// Millionths of a dollar for a token that goes in and one that comes out. Whole numbers: nothing is rounded.
const PRICES = new Map<unknown, [number, number]>([
  ["small", [1, 5]],
  ["large", [3, 15]],
]);
const BUDGET = 70_000;
const WARN_AT = (BUDGET * 8) / 10;

const client = new HookClient();
const spent = new Map<string, number>();

// Adds up the cost of the session; a model of unknown cost also stops it.
client.registerHook("GenerateEnd", {
  name: "meter",
  handler: (event) => {
    const cost = costOf(event);
    if (cost === null) return HookResponse.stop(`the cost of the model ${String(event.model)} is unknown`);
    const before = spent.get(event.sessionId) ?? 0;
    const now = before + cost;
    spent.set(event.sessionId, now);
    if (now >= BUDGET) return HookResponse.stop(`the budget of ${dollars(BUDGET)} is spent: ${dollars(now)}`);
    if (before < WARN_AT && now >= WARN_AT) {
      return HookResponse.continue({ message: { text: `${dollars(now)} of ${dollars(BUDGET)}`, level: "warning" } });
    }
  },
});

// Keeps the model from being called once the budget is spent, also for the next prompt.
client.registerHook("GenerateStart", {
  name: "cap",
  handler: ({ sessionId }) => {
    if ((spent.get(sessionId) ?? 0) >= BUDGET) return HookResponse.stop("the budget is spent");
  },
  config: { failBehavior: "block" },
});

/** What one answer costs; `null` where the model does not say how many tokens it took. */
function costOf({ model, response }: GenerateEndEvent): number | null {
  const { inputTokens, outputTokens } = response.usage ?? {};
  const [priceIn, priceOut] = PRICES.get(model) ?? [NaN, NaN];
  const cost = Number(inputTokens) * priceIn + Number(outputTokens) * priceOut;
  return Number.isNaN(cost) ? null : cost;
}

/** Millionths of a dollar, for people. */
function dollars(cost: number): string {
  return `$${Math.floor(cost / 1_000_000)}.${String(Math.floor((cost % 1_000_000) / 100)).padStart(4, "0")}`;
}

/** Stands for a model that keeps on searching; each answer takes in all that was said before. */
function model({ prompt, messages }: ModelRequest): ModelResponse {
  const usage = { inputTokens: 1_000 * messages.length, outputTokens: 200 };
  if (prompt.includes("quickly")) return { text: "Here it is.", usage };
  return { text: "I look further.", toolCalls: [{ name: "Search" }], usage };
}

/** Where the user reads. */
const screen = {
  showMessage(text: string, level: string, source: string): void {
    console.log(`    ${level} from ${source}: ${text}`);
  },
};

// Two sessions: each has a budget of its own.
client.registerTool("Search", () => "nothing found");
client.registerModel(model);
for (const [name, prompts] of Object.entries({ first: ["Find it.", "Go on."], second: ["Find it quickly."] })) {
  const session = client.session({ sessionId: name, model: "large", display: screen });
  for (const prompt of prompts) {
    console.log(`${name} session: ${prompt}`);
    const answer = await session.generate(prompt);
    const last = answer.reason ?? answer.text;
    console.log(`    ${answer.status} after ${answer.modelCalls} calls of the model: ${last}`);
  }
  console.log(`    it cost ${dollars(spent.get(name) ?? 0)}`);
}
