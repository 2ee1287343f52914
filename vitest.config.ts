import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./scripts/closing-line-reporter.js";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests run on the sources, not on what was last built.
    alias: [
      { find: "@kaas/core/internal", replacement: source("packages/kaas-core/src/internal.ts") },
      { find: "@kaas/core", replacement: source("packages/kaas-core/src/index.ts") },
      { find: "@kaas/storage", replacement: source("packages/kaas-storage/src/index.ts") },
      { find: "@kaas/broker", replacement: source("apps/broker/src/index.ts") },
      { find: "@kaas/operator-api", replacement: source("packages/kaas-operator-api/src/index.ts") },
      { find: "@kaas/k8s", replacement: source("packages/kaas-k8s/src/index.ts") },
      { find: "@kaas/operator", replacement: source("apps/operator/src/index.ts") },
      { find: "@kaas/kaasctl", replacement: source("apps/kaasctl/src/index.ts") },
    ],
  },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "apps/*/src/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "scripts/**/*.test.ts",
      "test/simulation/*.test.ts",
      "test/counts/*.test.ts",
      "test/cluster/*.test.ts",
      "test/nfs/*.test.ts",
      "test/security/*.test.ts",
    ],
    // Two cores and other work beside: slow is no failure, stuck is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default", new ClosingLineReporter()],
    coverage: {
      enabled: process.env["KAAS_TEST_COVERAGE"] === "1",
      provider: "v8",
      include: ["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/generated/**", "**/generator/main.ts"],
      reporter: ["text-summary", "json-summary"],
    },
  },
});
