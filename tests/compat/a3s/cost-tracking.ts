// Track token usage and costs
const usage = { totalTokens: 0, totalCost: 0 };

client.registerHook("GenerateEnd", async (event) => {
  const tokens = event.response.usage.total_tokens;
  const cost = calculateCost(event.model, tokens);

  usage.totalTokens += tokens;
  usage.totalCost += cost;

  // Alert if cost exceeds threshold
  if (usage.totalCost > 10.00) {
    console.warn(`Session cost exceeded $10: $${usage.totalCost.toFixed(2)}`);
  }

  return { action: "continue" };
});
