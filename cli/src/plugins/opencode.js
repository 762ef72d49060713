// Written by `hookweave install opencode`: hookweave judges prompts, tool calls and results.
// OpenCode works without a plugin that it cannot load, so this one loads without the package and refuses.
export const hookweave = async (place) => {
  try {
    const plugin = await import("hookweave/opencode");
    return await plugin.hookweave(place);
  } catch (error) {
    const refuse = async () => {
      throw new Error(`hookweave cannot be loaded, so nothing is allowed: ${error.message}`);
    };
    return { "chat.message": refuse, "tool.execute.before": refuse };
  }
};
