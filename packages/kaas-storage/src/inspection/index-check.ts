import type { SegmentRecord } from "../documents/document-types.js";
import { OffsetIndex } from "../partition/offset-index.js";
import { Segment } from "../partition/segment.js";
import { TimeIndex } from "../partition/time-index.js";
import { type Finding, finding } from "./finding.js";
import { type IndexFollower, OffsetIndexFollower, TimeIndexFollower } from "./index-followers.js";
import { readIfThere, unreadable, type VolumeView } from "./volume-view.js";

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
    const bytes = await readIfThere(view, file);
    if (bytes === undefined) findings.push(finding("index-missing", file, "it is not there"));
    return bytes;
  } catch (error) {
    findings.push(unreadable(file, error));
    return undefined;
  }
}

/** Indexes are not fsynced: a power failure may leave them short, or full of zeros. */
function sizeProblem(
  bytes: Buffer,
  expected: number,
): { readonly code: "index-missing" | "index-wrong"; readonly message: string } | undefined {
  const message = `it has ${bytes.length} bytes instead of ${expected}`;
  if (bytes.length < expected) return { code: "index-missing", message };
  if (bytes.length > expected) return { code: "index-wrong", message };
  const isZero = bytes.length > 0 && bytes.every((byte) => byte === 0);
  return isZero ? { code: "index-missing", message: "it holds nothing but zeros" } : undefined;
}

/** What the indexes that were followed turned out to be, once the whole segment was told. */
export function finishIndexes(followed: readonly FollowedIndex[]): Finding[] {
  return followed.flatMap(({ file, follower }) => {
    const problem = follower.finish();
    return problem === undefined ? [] : [finding("index-wrong", file, problem)];
  });
}
