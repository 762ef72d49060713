/** A program at a terminal of its own, and the user who types there. */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";

/** Gives a program a terminal; it is part of every Linux. */
const SCRIPT = "/usr/bin/script";

export const hasTerminals = existsSync(SCRIPT) && process.platform === "linux";

export class TerminalUser {
  screen = "";
  readonly #program: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(program: string, cwd: string) {
    const command = [process.execPath, "--input-type=module", "--eval", program];
    const env = {
      ...process.env,
      TERM: "xterm",
      COMMAND: command.map((part) => `'${part}'`).join(" "),
    };
    this.#program = spawn(SCRIPT, ["-qefc", 'eval "exec $COMMAND"', "/dev/null"], { cwd, env });
    this.#program.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.screen += text;
    });
    this.#ended = new Promise((resolve) => this.#program.on("close", resolve));
  }

  /** Reads until a text is on the screen. */
  async until(text: string): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (!this.screen.includes(text)) {
      if (Date.now() > deadline) {
        this.#program.kill();
        throw new Error(`no \`${text}\` on the screen: ${this.screen}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  types(keys: string): void {
    this.#program.stdin?.write(keys);
  }

  /** The exit code of the program, of one that a signal has ended 128 and its number. */
  async leaves(): Promise<number | null> {
    const code = await this.#ended;
    this.#program.stdin?.destroy();
    return code;
  }
}
