/** The file that is the addon on a system. */
export function addonOf(name: string): string;

/** The name of this system, such as `linux-x64-gnu`. */
export function platformName(): string;

/** The names that this system may have; on Linux its C library decides, which is slow to ask for. */
export function platformNames(): string[];
