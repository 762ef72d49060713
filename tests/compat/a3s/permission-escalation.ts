// Require explicit confirmation for sensitive operations
client.registerHook("PermissionRequest", async (event) => {
  const sensitiveTools = ["Bash", "Write", "Edit"];

  if (sensitiveTools.includes(event.tool)) {
    // Show custom confirmation UI
    const confirmed = await showConfirmationDialog({
      title: `Allow ${event.tool}?`,
      message: `The agent wants to execute: ${JSON.stringify(event.args)}`,
      timeout: 30000
    });

    if (!confirmed) {
      return { action: "block", reason: "User denied permission" };
    }
  }

  return { action: "continue" };
});
