client.registerHook("PreToolUse", {
  handler: async (event) => { /* ... */ },
  config: {
    priority: 10,        // Lower = earlier
    timeout: 3000,       // 3 seconds
    async: false,        // Wait for response
    failBehavior: "block"
  }
});
