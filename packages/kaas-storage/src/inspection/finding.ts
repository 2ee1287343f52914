import { type FindingCode, type FindingKind, findingCatalogue } from "./finding-catalogue.js";

/** Something that is not as it should be on a volume. */
export interface Finding extends FindingKind {
  readonly code: FindingCode;
  /** The path of the file or directory concerned, below the data directory as that was given. */
  readonly file: string;
  /** What was found there, in one line. */
  readonly message: string;
  /** The byte in the file where it begins, when there is one. */
  readonly position?: number;
}

/** A finding of that kind, with what is known about the kind. */
export function finding(code: FindingCode, file: string, message: string, position?: number): Finding {
  const { severity, meaning, advice } = findingCatalogue[code];
  const place = position === undefined ? {} : { position };
  return { severity, code, file, message, ...place, meaning, advice };
}

/** Whether nothing is wrong: what a crash leaves behind does not count. */
export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity === "note");
}

const ORDER = { error: 0, warning: 1, note: 2 } as const;

/** The worst first, then by file. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) => ORDER[a.severity] - ORDER[b.severity] || (a.file < b.file ? -1 : a.file > b.file ? 1 : 0),
  );
}
