import { defineConfig } from "tsup";
import { bundle } from "../../tsup.base.js";

export default defineConfig({ ...bundle, entry: ["src/index.ts", "src/main.ts", "src/kubectl-kaas.ts"] });
