#!/usr/bin/env node
// Does several things in one answer: context, a message and a question.
process.stdin.resume().on("end", () => {
  console.log(
    JSON.stringify({
      inject: "from a hookweave hook",
      message: { text: "look at this", level: "warning" },
      ask: { prompt: "Really?", options: ["Yes", "No"], default: "deny" },
    }),
  );
});
