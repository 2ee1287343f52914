/**
 * Names in a partition's directory. The epoch comes first in every one: an epoch writes only files that carry it, so a
 * deposed leader cannot overwrite its successor.
 *
 * ```
 * 00000005.claim  00000005.seal  00000005.released
 * 00000005-00000000000000001000.log  .index  .timeindex  .txnindex  .snapshot
 * 00000005-00000012.manifest.json
 * ```
 */

const EPOCH_DIGITS = 8;
const OFFSET_DIGITS = 20;

export const CHECKPOINT_NAME: string = "recovery-checkpoint.json";
/** Copies of the newest manifest and snapshot, for people and tools. They decide nothing. */
export const MANIFEST_COPY_NAME: string = "manifest.json";
export const SNAPSHOT_COPY_NAME: string = "producer-state.snapshot";

export type EpochFileKind = "claim" | "seal" | "released";
export type OffsetFileKind = "log" | "index" | "timeindex" | "txnindex" | "snapshot";

export type PartitionFile =
  | { readonly kind: EpochFileKind; readonly epoch: number; readonly number: 0 }
  | { readonly kind: OffsetFileKind | "manifest"; readonly epoch: number; readonly number: number };

const NAME = /^(\d{8})(?:-(\d{8}|\d{20}))?\.(claim|seal|released|log|index|timeindex|txnindex|snapshot|manifest\.json)$/;

export function epochFileName(epoch: number, kind: EpochFileKind): string {
  return `${digits(epoch, EPOCH_DIGITS)}.${kind}`;
}

export function offsetFileName(epoch: number, offset: number, kind: OffsetFileKind): string {
  return `${digits(epoch, EPOCH_DIGITS)}-${digits(offset, OFFSET_DIGITS)}.${kind}`;
}

export function manifestName(epoch: number, number: number): string {
  return `${digits(epoch, EPOCH_DIGITS)}-${digits(number, EPOCH_DIGITS)}.manifest.json`;
}

/** What a name says; undefined for names that are not ours, which are left alone. */
export function parsePartitionFile(name: string): PartitionFile | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const epoch = Number(match[1]);
  const number = match[2];
  const suffix = match[3] as EpochFileKind | OffsetFileKind | "manifest.json";
  if (suffix === "claim" || suffix === "seal" || suffix === "released") {
    return number === undefined ? { kind: suffix, epoch, number: 0 } : undefined;
  }
  const isManifest = suffix === "manifest.json";
  if (number?.length !== (isManifest ? EPOCH_DIGITS : OFFSET_DIGITS)) return undefined;
  return { kind: isManifest ? "manifest" : suffix, epoch, number: Number(number) };
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}
