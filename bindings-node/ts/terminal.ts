/** Asking the person at the terminal that the program was started from. */

import { closeSync, constants, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream, WriteStream } from "node:tty";

import type { ApprovalContext, ApprovalRequest } from "./approvals.js";

/** The controlling terminal, whatever standard input and output are tied to. */
const [INPUT, OUTPUT] =
  process.platform === "win32" ? ["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] : ["/dev/tty", "/dev/tty"];

/** Lines that come sooner were typed before the question could be read. */
const TYPED_AHEAD = 300;

/** Questions are asked one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Asks on the controlling terminal, with the time that is left; without a terminal it denies. */
export function askOnTerminal(
  request: ApprovalRequest,
  { signal }: ApprovalContext,
): Promise<string> {
  const turn = last.then(() => (signal.aborted ? "Deny" : ask(request, signal)));
  last = turn.catch(() => undefined);
  return turn;
}

async function ask(request: ApprovalRequest, signal: AbortSignal): Promise<string> {
  const terminal = open();
  if (terminal === null) return "Deny";
  const { input, output } = terminal;
  const lines = createInterface({ input, output, terminal: false });
  const until = Date.now() + request.timeout;
  const began = Date.now();
  const invite = (): void => {
    output.write(`\r${invitation(until - Date.now())}`);
  };
  const countdown = setInterval(invite, 1000);
  try {
    output.write(question(request));
    invite();
    return await new Promise<string>((resolve) => {
      const end = (): void => {
        output.write("\n");
        resolve("Deny");
      };
      lines.on("line", (line) => {
        const option = Date.now() - began < TYPED_AHEAD ? null : choice(request.options, line);
        if (option === null) invite();
        else resolve(option);
      });
      // The end of the terminal, or of the time.
      lines.on("close", end);
      signal.addEventListener("abort", end, { once: true });
    });
  } finally {
    clearInterval(countdown);
    lines.removeAllListeners("close");
    lines.close();
    input.destroy();
    output.destroy();
  }
}

function open(): { input: ReadStream; output: WriteStream } | null {
  const opened: number[] = [];
  try {
    opened.push(openSync(INPUT, constants.O_RDWR));
    opened.push(openSync(OUTPUT, constants.O_RDWR));
    const [from, to] = opened as [number, number];
    return { input: new ReadStream(from), output: new WriteStream(to) };
  } catch {
    for (const file of opened) closeSync(file);
    return null;
  }
}

/** The whole question; everything that a hook has a say in is indented, so that it cannot pass for the rest. */
function question(request: ApprovalRequest): string {
  const { hook, tool, event, shown, prompt, options } = request;
  const asker = hook === null ? "The host asks" : `Hook ${hook} asks`;
  const about = tool === "" ? event : `tool ${tool}`;
  const choices = options.map((option, index) => `  ${String(index + 1)}) ${flat(option)}`);
  return [
    "",
    `${flat(asker)} about ${flat(about)}:`,
    indented(prompt),
    ...(shown === null ? [] : [indented(shown)]),
    ...choices,
    "",
  ].join("\n");
}

function flat(text: string): string {
  return text.replaceAll("\n", " ");
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  | ");
}

function invitation(left: number): string {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  return `Number or text of your choice (${String(seconds)} s left): `;
}

/** The option of a line, by its number or text; `null` when it is none of them. */
function choice(options: readonly string[], line: string): string | null {
  const said = line.trim();
  const numbered = /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
  const named = options.find((option) => option.toLowerCase() === said.toLowerCase());
  return named ?? numbered ?? null;
}
