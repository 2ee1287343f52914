import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Ends a run of vitest as every suite here ends: with one line `N passed, N failed[, N skipped]`. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let failed = unhandledErrors.length;
    let passed = 0;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length; // a file that could not be loaded holds no tests to fail
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else if (state === "skipped") skipped++;
        else failed++;
      }
    }
    process.stdout.write(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`);
  }
}
