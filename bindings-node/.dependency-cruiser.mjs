// The modules of ts/ must not import each other in a cycle. Imports of types count: they show what belongs together.
export default {
  forbidden: [
    {
      name: "no-circular",
      comment: "Move what both modules need into a third one, or join them.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: ["node_modules", "native"] },
  },
};
