import { defineConfig } from "tsup";
import { bundle } from "../../tsup.base.js";

/** The command: CommonJS, for a reason that it gives itself. It loads ./run.js, which the other configuration makes. */
export default defineConfig({
  ...bundle,
  entry: ["src/main.cts"],
  format: ["cjs"],
  splitting: false,
  clean: false,
  external: [/^\.\/run\.js$/],
});
