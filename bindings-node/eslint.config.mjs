// Run from the project's top, so that the tests beside the package are in reach.
import { fileURLToPath } from "node:url";

import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/node_modules/", "**/*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          fileURLToPath(new URL("tsconfig.json", import.meta.url)),
          fileURLToPath(new URL("../tests/node/tsconfig.json", import.meta.url)),
        ],
      },
    },
    rules: {
      // `() => void call()` in a callback is clear enough.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Reasons of a cancellation are whatever the caller says; they are passed on as they are.
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/only-throw-error": [
        "error",
        { allowThrowingUnknown: true, allowThrowingAny: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      // `a as B` says what is known of it, `a!` only that somebody was in a hurry.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // The compiler demands brackets for fields that only an index signature has.
      "@typescript-eslint/dot-notation": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      eqeqeq: "error",
    },
  },
  {
    files: ["tests/node/**"],
    rules: {
      // What is registered, thrown or returned wrongly is what the tests are about.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-base-to-string": "off",
      // `void event.field` reads a field for its type, or for what reading does.
      "@typescript-eslint/no-meaningless-void-operator": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": "off",
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "describe"], package: "node:test" },
          ],
        },
      ],
    },
  },
);
