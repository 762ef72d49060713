// What the packages of this system are called.

/** The name that the addon of this system bears too, such as `linux-x64-gnu`. */
export function platformName() {
  const { arch, platform } = process;
  if (platform === "linux") return `linux-${arch}-${isMusl() ? "musl" : "gnu"}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}
