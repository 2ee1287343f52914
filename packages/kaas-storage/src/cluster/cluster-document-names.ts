/**
 * Names of the documents that any broker may change: immutable files that are made by link-claim, of which the one with
 * the highest number counts. Of two brokers that change the same version one is refused, and reads what the other wrote.
 *
 * ```
 * broker-configs-0000000003.json   its third version
 * ```
 */
import type { ClusterDocument } from "@kaas/core";

const DOCUMENTS: readonly ClusterDocument[] = ["broker-configs", "group-configs", "client-metrics-configs"];

const DIGITS = 10;
/** What a document was called before its versions had numbers. */
const UNNUMBERED = 0;

export function documentName(document: ClusterDocument, version: number): string {
  if (version === UNNUMBERED) return `${document}.json`;
  return `${document}-${String(version).padStart(DIGITS, "0")}.json`;
}

/** Which version of a document has a name; undefined for any other name. */
export function documentVersion(document: ClusterDocument, name: string): number | undefined {
  if (name === documentName(document, UNNUMBERED)) return UNNUMBERED;
  if (!name.startsWith(`${document}-`)) return undefined;
  const digits = /^(\d{10})\.json$/.exec(name.slice(document.length + 1))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether a name is that of a version of any document. */
export function isDocumentName(name: string): boolean {
  return DOCUMENTS.some((document) => documentVersion(document, name) !== undefined);
}
