import type { Finding } from "./finding.js";
import type { FindingCode } from "./finding-catalogue.js";

/**
 * What becomes of a file. `copy`: made anew from the document that it is a copy of. `blow`: the fuse of a process that
 * is said to be gone.
 */
export type RepairAction = "rebuild" | "remove" | "copy" | "blow";

/** One thing that may be repaired, or was. */
export interface RepairStep {
  readonly action: RepairAction;
  readonly file: string;
  /** Why it may be done. */
  readonly reason: string;
  /** Why it could not be done; undefined when it was, or has not been tried. */
  readonly failure?: string;
}

/** What may be repaired, and what may not. */
export interface RepairReport {
  readonly steps: readonly RepairStep[];
  /** What is wrong and needs a person, one line each. */
  readonly blockers: readonly string[];
}

const ACTIONS: Partial<Readonly<Record<FindingCode, RepairAction>>> = {
  "temporary-leftover": "remove",
  "deleting-leftover": "remove",
  "segment-obsolete": "remove",
  "file-obsolete": "remove",
  "hint-unreadable": "remove",
  "copy-outdated": "copy",
  "index-missing": "rebuild",
  "index-wrong": "rebuild",
};

/** Only what is provably safe: files that decide nothing, and that durable documents say are not needed. */
export function planSteps(findings: readonly Finding[]): RepairReport {
  const steps: RepairStep[] = [];
  const blockers: string[] = [];
  const troubled = directoriesInTrouble(findings);
  for (const one of findings) {
    const action = ACTIONS[one.code];
    const isAside = one.code === "deleting-leftover";
    // Where something is wrong that a person has to look at, nothing is taken away beside it.
    const isSafe = action !== undefined && (isAside || !troubled.has(directoryOf(one.file)));
    if (isSafe) steps.push({ action, file: one.file, reason: one.message });
    else if (one.severity !== "note") blockers.push(`${one.file}: ${one.message}`);
  }
  return { steps, blockers };
}

function directoriesInTrouble(findings: readonly Finding[]): ReadonlySet<string> {
  const troubling = findings.filter(({ severity, code }) => severity !== "note" && ACTIONS[code] === undefined);
  return new Set(troubling.map(({ file }) => directoryOf(file)));
}

function directoryOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/"));
}
