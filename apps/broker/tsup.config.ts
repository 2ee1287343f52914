import { defineConfig } from "tsup";
import { bundle } from "../../tsup.base.js";

export default defineConfig({
  ...bundle,
  entry: { index: "src/index.ts", run: "src/run.ts", worker: "src/control/worker.ts" },
});
