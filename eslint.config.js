// For the pages: ES modules in a browser, without a build step.
import js from "@eslint/js";
import globals from "globals";

const OWN = {
  eqeqeq: "error",
  "no-shadow": "error",
  "no-unused-vars": "error",
  "no-use-before-define": ["error", { functions: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "consistent-return": "error",
};

export default [
  { ignores: ["**/vendor/**"] },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: OWN,
  },
  { files: ["**/text/worker.js"], languageOptions: { globals: globals.worker } },
];
