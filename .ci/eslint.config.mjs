// The rules of ESLint for the scripts of the console.
export default [
  { ignores: ["**/vendor/**"] },
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-unused-vars": "error", "no-unreachable": "error", "no-const-assign": "error", "no-dupe-keys": "error",
      "no-redeclare": "error", "no-shadow-restricted-names": "error", "no-self-assign": "error", "no-duplicate-imports": "error",
      "no-unsafe-finally": "error", "no-cond-assign": "error", "no-constant-condition": ["error", { checkLoops: false }],
      "no-eval": "error", "no-implied-eval": "error", "no-new-func": "error", "no-script-url": "error",
      "prefer-const": "error", "no-var": "error", eqeqeq: "error", "no-fallthrough": "error", "no-use-before-define": "off",
    },
  },
  { files: ["extensions/console/test/*.js"], rules: { "no-script-url": "off" } }, // they try such addresses
];
