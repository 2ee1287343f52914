/**
 * Names in a partition's directory.
 *
 * ```
 * 00000005.claim  00000005.seal  00000005.released  00000005.moved  00000005.arriving
 * 00000005-00000000000000001000.log  .index  .timeindex  .txnindex  .snapshot
 * 00000005-00000000000000001000-00000003.log  .index  .timeindex  .txnindex
 * 00000005-00000012.manifest.json
 * ```
 *
 * Compaction writes the same offsets again, so what it writes has a third number, its generation: the epoch counts its
 * cleaned segments from 1 on, and what it copies to another log directory along with them. No name is used twice.
 */
import { epochDigits, type EpochFileKind } from "../leadership/epoch-names.js";

const OFFSET_DIGITS = 20;

export const CHECKPOINT_NAME: string = "recovery-checkpoint.json";
/** Copies of the newest manifest and snapshot, for people and tools. They decide nothing. */
export const MANIFEST_COPY_NAME: string = "manifest.json";
export const SNAPSHOT_COPY_NAME: string = "producer-state.snapshot";

const EPOCH_FILE_KINDS: readonly string[] = [
  "claim",
  "seal",
  "released",
  "moved",
  "arriving",
] satisfies EpochFileKind[];
export type OffsetFileKind = "log" | "index" | "timeindex" | "txnindex" | "snapshot";

/** What a segment consists of. */
export const SEGMENT_FILE_KINDS: readonly OffsetFileKind[] = ["log", "index", "timeindex", "txnindex"];

export type PartitionFile =
  | { readonly kind: EpochFileKind; readonly epoch: number; readonly number: 0 }
  | {
      readonly kind: OffsetFileKind | "manifest";
      readonly epoch: number;
      readonly number: number;
      /** 1 or more, for a segment that compaction wrote. */
      readonly generation?: number;
    };

const NAME =
  /^(\d{8})(?:-(\d{8}|\d{20}))?(?:-(\d{8}))?\.(claim|seal|released|moved|arriving|log|index|timeindex|txnindex|snapshot|manifest\.json)$/;

export function offsetFileName(epoch: number, offset: number, kind: OffsetFileKind): string {
  return `${epochDigits(epoch)}-${offsetDigits(offset)}.${kind}`;
}

/** A file of a segment; `generation` is 0 unless compaction wrote it. */
export function segmentFileName(epoch: number, offset: number, generation: number, kind: OffsetFileKind): string {
  if (generation === 0) return offsetFileName(epoch, offset, kind);
  return `${epochDigits(epoch)}-${offsetDigits(offset)}-${epochDigits(generation)}.${kind}`;
}

export function manifestName(epoch: number, number: number): string {
  return `${epochDigits(epoch)}-${epochDigits(number)}.manifest.json`;
}

/** What a name says; undefined for names that are not ours, which are left alone. */
export function parsePartitionFile(name: string): PartitionFile | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const epoch = Number(match[1]);
  const number = match[2];
  const generation = match[3] === undefined ? 0 : Number(match[3]);
  const suffix = match[4] as EpochFileKind | OffsetFileKind | "manifest.json";
  if (match[3] !== undefined && (generation === 0 || !SEGMENT_FILE_KINDS.some((kind) => kind === suffix)))
    return undefined;
  if (isEpochFileKind(suffix)) {
    return number === undefined ? { kind: suffix, epoch, number: 0 } : undefined;
  }
  const isManifest = suffix === "manifest.json";
  if (number === undefined || (number.length === OFFSET_DIGITS) === isManifest) return undefined;
  const file = { kind: isManifest ? "manifest" : suffix, epoch, number: Number(number) } as const;
  return generation === 0 ? file : { ...file, generation };
}

/** Whether a name is that of a file that compaction wrote, or a move: only a document puts it in force. */
export function isCleaned(file: PartitionFile): boolean {
  return "generation" in file;
}

function isEpochFileKind(suffix: string): suffix is EpochFileKind {
  return EPOCH_FILE_KINDS.includes(suffix);
}

function offsetDigits(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, "0");
}
