export default [{ rules: { "no-undef": "error", "no-unused-vars": "error" } }];
