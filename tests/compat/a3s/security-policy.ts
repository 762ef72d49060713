// Block execution of dangerous commands
client.registerHook("PreToolUse", {
  matcher: { tool: "Bash" },
  handler: async (event) => {
    const command = event.args.command as string;

    const dangerous = [
      /rm\s+-rf\s+\//,
      /mkfs\./,
      /dd\s+if=.*of=\/dev/,
      />\s*\/dev\/sd/
    ];

    for (const pattern of dangerous) {
      if (pattern.test(command)) {
        return {
          action: "block",
          reason: `Blocked dangerous command matching ${pattern}`
        };
      }
    }

    return { action: "continue" };
  }
});
