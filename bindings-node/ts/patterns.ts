/** Regular expressions as JavaScript writes them, for the core, which reads text. */

import { types } from "node:util";

import { errorOf } from "./errors.js";
import { isPlain } from "./values.js";

const PATTERNS = ["toolPattern", "commandPattern", "sourcePattern"];

/** Flags that do not change what is found. */
const WITHOUT_EFFECT = /[dguy]/gu;

/** A matcher with the text of every `RegExp`; what is none is left to the core to judge. */
export function withPatternTexts(matcher: unknown): unknown {
  if (!isPlain(matcher)) return matcher;
  const texts: Record<string, unknown> = { ...matcher };
  for (const name of PATTERNS) {
    if (types.isRegExp(texts[name])) texts[name] = textOf(texts[name], `matcher.${name}`);
  }
  const { args } = matcher;
  if (isPlain(args)) {
    texts["args"] = Object.fromEntries(
      Object.entries(args).map(([name, test]) => [name, ofArgument(test, `matcher.args.${name}`)]),
    );
  }
  return texts;
}

function ofArgument(test: unknown, place: string): unknown {
  if (types.isRegExp(test)) return { regex: textOf(test, place) };
  if (!isPlain(test) || !types.isRegExp(test["regex"])) return test;
  return { ...test, regex: textOf(test["regex"], `${place}.regex`) };
}

function textOf({ source, flags }: RegExp, place: string): string {
  const kept = flags.replace(WITHOUT_EFFECT, "");
  if (kept.includes("v")) {
    throw errorOf(
      "invalid_matcher",
      `${place}: the flag \`v\` is not known; write the pattern without it`,
    );
  }
  return kept === "" ? source : `(?${kept})${source}`;
}
