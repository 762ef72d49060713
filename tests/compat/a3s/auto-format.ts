// Auto-format code after writing
client.registerHook("PostToolUse", {
  matcher: { tool: "Write" },
  handler: async (event) => {
    if (!event.result.success) return { action: "continue" };

    const filePath = event.args.file_path as string;
    const ext = filePath.split('.').pop();

    const formatters: Record<string, string> = {
      'rs': 'rustfmt',
      'py': 'black',
      'ts': 'prettier --write',
      'js': 'prettier --write',
      'go': 'gofmt -w',
    };

    const formatter = formatters[ext];
    if (formatter) {
      await client.executeTool(event.sessionId, "Bash", {
        command: `${formatter} "${filePath}"`,
        timeout: 10000
      });
    }

    return { action: "continue" };
  }
});
