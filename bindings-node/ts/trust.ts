/** The user's approvals of hooks from project files. */

import { canonicalKeys, localKeys } from "./spelling.js";
import { callNative, files } from "./native.js";
import type { TrustedHook, UntrustedHook } from "./file-reports.js";

/** The approvals of the user, in a file that only the user can write. */
export class TrustStore {
  /** The file; `undefined` is the usual one, in the user's directory for configuration. */
  readonly path: string | undefined;

  constructor(path?: string) {
    this.path = path;
  }

  /** Approves hooks as they are now; one that changes later has to be approved again. Throws `invalid_config`. */
  approve(hooks: UntrustedHook | readonly UntrustedHook[]): void {
    const given = Array.isArray(hooks) ? (hooks as readonly UntrustedHook[]) : [hooks];
    const approvals = given.map((hook) => canonicalKeys((hook as UntrustedHook).approval));
    callNative(() => {
      files.approve(JSON.stringify(approvals), this.path);
    });
  }

  /** Everything that is approved. */
  approved(): TrustedHook[] {
    const approved = JSON.parse(callNative(() => files.approved(this.path))) as object[];
    return approved.map((approval) => localKeys(approval) as unknown as TrustedHook);
  }

  /** Revokes approvals by their fingerprints; returns how many there were. */
  revoke(fingerprints: readonly string[]): number {
    return callNative(() => files.revoke([...fingerprints], this.path));
  }
}
