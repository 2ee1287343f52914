import { readIfThere } from "../file-system/file-system.js";
import type { SegmentRecord } from "../documents/document-types.js";
import { OffsetIndex } from "../partition/offset-index.js";
import { Segment } from "../partition/segment.js";
import { TimeIndex } from "../partition/time-index.js";
import { type Finding, finding } from "./finding.js";
import { type IndexFollower, OffsetIndexFollower, TimeIndexFollower } from "./index-followers.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512;

/** An index file that is compared with its segment. */
export interface FollowedIndex {
  readonly file: string;
  readonly follower: IndexFollower;
}

export interface OpenedIndexes {
  /** Those that can be compared. */
  readonly followed: readonly FollowedIndex[];
  readonly findings: Finding[];
}

/** Reads the indexes of a segment that takes nothing more. */
export async function openIndexes(view: VolumeView, directory: string, record: SegmentRecord): Promise<OpenedIndexes> {
  const segment = Segment.of(directory, record);
  const followed: FollowedIndex[] = [];
  const findings: Finding[] = [];
  const wanted = [
    ["index", record.indexEntries, OffsetIndex.ENTRY_BYTES, OffsetIndexFollower],
    ["timeindex", record.timeIndexEntries, TimeIndex.ENTRY_BYTES, TimeIndexFollower],
  ] as const;
  for (const [kind, entries, entryBytes, Follower] of wanted) {
    if (entries < 0) continue; // it has yet to be made
    const file = segment.path(kind);
    const bytes = await readIndex(view, file, findings);
    if (bytes === undefined) continue;
    const problem = sizeProblem(bytes, entries * entryBytes);
    if (problem === undefined) followed.push({ file, follower: new Follower(bytes, record.baseOffset) });
    else findings.push(finding(problem.code, file, problem.message));
  }
  return { followed, findings };
}

async function readIndex(view: VolumeView, file: string, findings: Finding[]): Promise<Buffer | undefined> {
  try {
    const bytes = await readIfThere(view.fileSystem, file);
    if (bytes === undefined) findings.push(finding("index-missing", file, "it is not there"));
    return bytes;
  } catch (error) {
    findings.push(unreadable(file, error));
    return undefined;
  }
}

/** Indexes are not fsynced: a power failure may leave them short, or sectors of them empty. */
function sizeProblem(
  bytes: Buffer,
  expected: number,
): { readonly code: "index-missing" | "index-wrong"; readonly message: string } | undefined {
  const message = `it has ${bytes.length} bytes instead of ${expected}`;
  if (bytes.length < expected) return { code: "index-missing", message };
  if (bytes.length > expected) return { code: "index-wrong", message };
  const lost = firstEmptySector(bytes);
  if (lost === undefined) return undefined;
  return { code: "index-missing", message: `from byte ${lost} on a sector holds nothing but zeros` };
}

/** Where a sector begins that was never written; no index has so many zeros of its own. */
function firstEmptySector(bytes: Buffer): number | undefined {
  for (let at = 0; at < bytes.length; at += SECTOR_BYTES) {
    if (bytes.subarray(at, at + SECTOR_BYTES).every((byte) => byte === 0)) return at;
  }
  return undefined;
}

/** What the indexes that were followed turned out to be, once the whole segment was told. */
export function finishIndexes(followed: readonly FollowedIndex[]): Finding[] {
  return followed.flatMap(({ file, follower }) => {
    const problem = follower.finish();
    return problem === undefined ? [] : [finding("index-wrong", file, problem)];
  });
}
