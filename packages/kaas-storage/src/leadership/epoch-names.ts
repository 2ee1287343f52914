/**
 * Names of files that belong to an epoch, in partitions and in slots. The epoch comes first in every one: an epoch
 * writes only files that carry it, so a deposed leader cannot overwrite its successor.
 *
 * ```
 * 00000005.claim   00000005-<number>.<kind>
 * ```
 */
const DIGITS = 8;
const FILE_NAME = /^(\d{8})(?:[.-]|$)/;
const CLAIM_NAME = /^(\d{8})\.claim$/;

/** What an epoch says of itself as a whole. */
export type EpochFileKind = "claim" | "seal" | "released" | "moved" | "arriving";

/** An epoch, or a number that it counts, as in a name: names sort as the numbers do. */
export function epochDigits(value: number): string {
  return String(value).padStart(DIGITS, "0");
}

export function epochFileName(epoch: number, kind: EpochFileKind): string {
  return `${epochDigits(epoch)}.${kind}`;
}

/** The epoch that a name carries; undefined for names that carry none. */
export function epochOfFile(name: string): number | undefined {
  const epoch = FILE_NAME.exec(name)?.[1];
  return epoch === undefined ? undefined : Number(epoch);
}

/** The epoch that a name claims; undefined for any other name. */
export function epochOfClaim(name: string): number | undefined {
  const epoch = CLAIM_NAME.exec(name)?.[1];
  return epoch === undefined ? undefined : Number(epoch);
}
