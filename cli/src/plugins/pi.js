// Written by `hookweave install pi`: hookweave judges prompts, tool calls and results.
// pi works without an extension that it cannot load, so this one loads without the package and refuses.
export default async (pi) => {
  try {
    const extension = await import("hookweave/pi");
    extension.hookweave(pi);
  } catch (error) {
    const reason = `hookweave cannot be loaded, so nothing is allowed: ${error.message}`;
    pi.on("input", (_event, context) => {
      if (context.hasUI) context.ui.notify(reason, "error");
      else console.error(reason);
      return { action: "handled" };
    });
    pi.on("tool_call", () => ({ block: true, reason }));
  }
};
