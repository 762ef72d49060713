// The systems that the package is built for, and what belongs to each.

/** By the name that addon and command bear: what Rust calls the system, and what npm is told of it. */
export const PLATFORMS = {
  "linux-x64-gnu": { target: "x86_64-unknown-linux-gnu", os: "linux", cpu: "x64", libc: "glibc" },
  "linux-x64-musl": { target: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64", libc: "musl" },
  "linux-arm64-gnu": {
    target: "aarch64-unknown-linux-gnu",
    os: "linux",
    cpu: "arm64",
    libc: "glibc",
  },
  "linux-arm64-musl": {
    target: "aarch64-unknown-linux-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl",
  },
  "darwin-x64": { target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  "darwin-arm64": { target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  "win32-x64-msvc": { target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
  "win32-arm64-msvc": { target: "aarch64-pc-windows-msvc", os: "win32", cpu: "arm64" },
};

/** The package that holds addon and command of a system. */
export function packageOf(name) {
  return `@hookweave/native-${name}`;
}

/** The file that is the command on a system. */
export function commandOf(name) {
  return `hookweave.${name}${name.startsWith("win32-") ? ".exe" : ""}`;
}

/** The file that is the addon on a system. */
export function addonOf(name) {
  return `hookweave.${name}.node`;
}

/** The names that this system may have; on Linux its C library decides, which is slow to ask for. */
export function platformNames({ arch, platform } = process) {
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [platformName({ arch, platform })];
}

/** The name of this system, such as `linux-x64-gnu`. */
export function platformName({ arch, platform } = process, musl = isMusl) {
  if (platform === "linux") return `linux-${arch}-${musl() ? "musl" : "gnu"}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}
