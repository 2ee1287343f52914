// The storage engine without sockets and protocol, in turns with the bare disk: packages/kaas-storage/bench/append.ts.
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Figures, Scenario } from "../scenario.js";

const run = promisify(execFile);
const tsx = fileURLToPath(new URL("../../node_modules/.bin/tsx", import.meta.url));
const bench = fileURLToPath(new URL("../../packages/kaas-storage/bench/append.ts", import.meta.url));

type Row = { readonly name: string; readonly perSecond: number; readonly bareDiskPerSecond: number };

function limit(name: string, title: string, engineScenario: string, unit: string, atLeast: number): Scenario {
  return {
    name,
    title,
    roundsMax: 1,
    other: "bare disk",
    measures: [{ key: "perSecond", unit, atLeast }],
    async compare(scale): Promise<readonly [Figures, Figures]> {
      const rounds = String(Math.max(2, Math.round(16 * scale)));
      const where = ["--directory", env["BENCH_DIR"] ?? tmpdir(), "--rounds", rounds];
      const { stdout } = await run(tsx, [bench, ...where, "--json", engineScenario]);
      const { perSecond, bareDiskPerSecond } = JSON.parse(stdout) as Row;
      return [{ perSecond }, { perSecond: bareDiskPerSecond }];
    },
  };
}

export const limitScenarios: readonly Scenario[] = [
  limit("limit-small", "small appends, as many as an fsync takes", "fsync-1-small", "appends of 1 KiB/s", 0.85),
  limit("limit-bulk", "large appends, as fast as the disk writes", "bulk", "appends of 1 MiB/s", 0.8),
];
