import type { Finding } from "./finding.js";
import type { InspectionHost } from "./inspection-host.js";

const LOOKS_MAX = 6;
const PAUSE_MS = 20;

/** What looking once came to. */
export interface Look {
  readonly findings: readonly Finding[];
}

/**
 * Looks again at what seems wrong, until it is either gone or the same twice: a broker that is at work changes several
 * files one after the other, and in between they do not fit together.
 */
export async function lookUntilLasting<One extends Look>(host: InspectionHost, look: () => Promise<One>): Promise<One> {
  let before: One | undefined;
  for (let looks = 1; ; looks++) {
    const now = await look();
    if (now.findings.length === 0) return now;
    const known = before?.findings ?? [];
    const lasting = now.findings.filter((one) => known.some((other) => isSame(one, other)));
    if (lasting.length === now.findings.length || looks === LOOKS_MAX) return { ...now, findings: lasting };
    before = now;
    await host.pause(PAUSE_MS * looks);
  }
}

function isSame(one: Finding, other: Finding): boolean {
  return one.code === other.code && one.file === other.file && one.position === other.position;
}
