const CHANGES_NOTHING = "its hooks change no arguments before a tool: hookweave refuses the call";

/** What an agent makes impossible, with the reason. A test of these fails as soon as it is possible. */
export const IMPOSSIBLE = {
  codex: {
    "a denied file is not read": "it has no tool that reads a file",
  },
  "qwen-code": {
    "a changed command is the one that runs": CHANGES_NOTHING,
    "a changed text is the one that is written": CHANGES_NOTHING,
    "the model sees the rest of a result with a secret":
      "its hooks change no result: hookweave takes it away",
  },
};
