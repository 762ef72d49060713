/** A program at a terminal of its own, and the user who types there. */

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";

import { until } from "./tools.js";

/** Gives a program a terminal; it is part of every Linux. */
const SCRIPT = "/usr/bin/script";

export const hasTerminals = existsSync(SCRIPT) && process.platform === "linux";

export class TerminalUser {
  screen = "";
  readonly #program: ChildProcess;
  readonly #ended: Promise<number | null>;
  /** Whether it has left and all that it wrote is on the screen. */
  #isOver = false;

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
    void this.#ended.then(() => (this.#isOver = true));
  }

  /** Reads until a text is on the screen; fails when the program has left without it. */
  async until(text: string): Promise<void> {
    try {
      await until(() => this.screen.includes(text) || this.#isOver);
      assert.ok(this.screen.includes(text), `no \`${text}\` on the screen: ${this.screen}`);
    } finally {
      if (!this.screen.includes(text)) this.#program.kill();
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
