import type { Options } from "tsup";

/**
 * How every package is bundled: its own modules together, everything it depends on left to be installed beside it.
 * Declarations are written by the TypeScript compiler afterwards, which takes a tenth of the time.
 */
export const bundle: Options = {
  format: ["esm"],
  target: "node20",
  platform: "node",
  splitting: true,
  sourcemap: true,
  clean: true,
  dts: false,
  skipNodeModulesBundle: true,
  tsconfig: "tsconfig.build.json",
  silent: true,
};
