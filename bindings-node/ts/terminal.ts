/** Asking the person at the terminal that the program was started from. */

import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream, WriteStream } from "node:tty";

import type { ApprovalContext, ApprovalRequest } from "./approvals.js";
import { describe } from "./errors.js";

/** The controlling terminal, whatever standard input and output are tied to. */
const [INPUT, OUTPUT] =
  process.platform === "win32"
    ? (["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] as const)
    : (["/dev/tty", "/dev/tty"] as const);

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
  const { input, output } = open();
  const lines = createInterface({ input, output, terminal: false });
  const until = Date.now() + request.timeout;
  const began = Date.now();
  const invite = (): void => {
    output.write(`\r${invitation(until - Date.now())}`);
  };
  // What has been typed so far stays, and the cursor goes back behind it.
  const countdown = setInterval(() => {
    output.write(`\u001b7\r${invitation(until - Date.now())}\u001b8`);
  }, 1000);
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

function open(): { input: ReadStream; output: WriteStream } {
  const opened: number[] = [];
  try {
    if (inBackground()) throw new Error("the program runs in the background of its terminal");
    for (const path of [INPUT, OUTPUT]) opened.push(openSync(path, constants.O_RDWR));
    const [from = -1, to = -1] = opened;
    return { input: new ReadStream(from), output: new WriteStream(to) };
  } catch (cause) {
    for (const file of opened) closeSync(file);
    throw new Error(`there is no terminal to ask at: ${describe(cause)}`, { cause });
  }
}

/** Whether reading from the terminal would stop the program, as far as the system tells. */
function inBackground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // Behind the name in brackets: state, parent, process group, session, terminal, the terminal's foreground group.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[5]) > 0 && fields[5] !== fields[2];
  } catch {
    return false;
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
  // Always of the same width, so that what was typed behind it stays where it is.
  const seconds = String(Math.max(0, Math.ceil(left / 1000))).padStart(5);
  return `Number or text of your choice, ${seconds} s left: `;
}

/** The option of a line, by its number or text; `null` when it is none of them. */
function choice(options: readonly string[], line: string): string | null {
  const said = line.trim();
  const numbered = /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
  const named = options.find((option) => option.toLowerCase() === said.toLowerCase());
  return named ?? numbered ?? null;
}
