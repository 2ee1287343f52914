import { readIfThere } from "../file-system/file-system.js";
import { Segment } from "../partition/segment.js";
import { MANIFEST_COPY_NAME, manifestName, SEGMENT_FILE_KINDS, SNAPSHOT_COPY_NAME } from "../partition/file-names.js";
import type { ListedFile } from "../partition/partition-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { type PartitionView, segmentStem } from "./partition-view.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** Files that a crash leaves behind, and that the next opening removes: documents say that they are not in force. */
export function findLeftovers(partition: PartitionView): Finding[] {
  const { listed } = partition;
  return [
    ...obsoleteFiles(partition).map((file) => {
      const code = isSegmentFile(file) ? "segment-obsolete" : "file-obsolete";
      return finding(code, listed.path(file.name), `no document of epoch ${partition.sealEpoch} names it`);
    }),
    ...listed.temporary.map((name) => finding("temporary-leftover", listed.path(name), "it was never finished")),
  ];
}

/** What recovery's sweep would remove. Nothing, where the document that counts could not be read. */
function obsoleteFiles(partition: PartitionView): readonly ListedFile[] {
  const { listed, state, sealEpoch, directory } = partition;
  if (state === undefined) return [];
  const stems = new Set(state.segments.map((record) => segmentStem(Segment.of(directory, record).fileName("log"))));
  for (const file of partition.tail) stems.add(segmentStem(file.name));
  return listed.files.filter((file) => {
    if (file.epoch > sealEpoch || file.name === state.producers.snapshot) return false;
    if (isSegmentFile(file)) return !stems.has(segmentStem(file.name));
    // Of the epoch in force, documents that newer ones replaced stay until the next one: that is how it is meant to be.
    return file.epoch < sealEpoch;
  });
}

function isSegmentFile({ kind }: ListedFile): boolean {
  return SEGMENT_FILE_KINDS.some((one) => one === kind);
}

/** What the copies for people are copies of. */
export function newestCopied({ listed, sealEpoch }: PartitionView): {
  readonly manifest: ListedFile | undefined;
  readonly snapshot: ListedFile | undefined;
} {
  const snapshots = listed.files.filter(({ kind }) => kind === "snapshot");
  snapshots.sort((a, b) => a.epoch - b.epoch || a.number - b.number);
  return { manifest: listed.of("manifest", sealEpoch).at(-1), snapshot: snapshots.at(-1) };
}

/** Whether the copies for people are of the newest document. */
export async function checkCopies(view: VolumeView, partition: PartitionView): Promise<Finding[]> {
  const { listed } = partition;
  const newest = newestCopied(partition);
  const copies = [
    { name: MANIFEST_COPY_NAME, kind: "manifest", of: newest.manifest },
    { name: SNAPSHOT_COPY_NAME, kind: "producer-snapshot", of: newest.snapshot },
  ] as const;
  const findings: Finding[] = [];
  for (const { name, kind, of } of copies) {
    const path = listed.path(name);
    const probe = await probeDocument(view, path, kind);
    if (name === MANIFEST_COPY_NAME && probe.state === "valid" && "number" in probe.value) {
      findings.push(...checkNewest(partition, probe.value, of));
    }
    const original = of === undefined ? undefined : await readIfPossible(view, listed.path(of.name));
    if (original === undefined || of === undefined) {
      if (probe.state === "bad") findings.push(finding("hint-unreadable", path, probe.finding.message));
    } else if ((await readIfPossible(view, path))?.equals(original) !== true) {
      findings.push(finding("copy-outdated", path, `it is not a copy of ${of.name}`));
    }
  }
  return findings;
}

/** A copy comes after what it is a copy of: one that is newer than all manifests tells of one that is gone. */
function checkNewest(
  { listed, sealEpoch }: PartitionView,
  copy: { readonly epoch: number; readonly number: number },
  newest: ListedFile | undefined,
): Finding[] {
  if (copy.epoch !== sealEpoch || copy.number <= (newest?.number ?? -1)) return [];
  const path = listed.path(manifestName(copy.epoch, copy.number));
  return [finding("manifest-missing", path, `it is not there, and ${MANIFEST_COPY_NAME} is a copy of it`)];
}

/** A document that cannot be read is a finding of its own, where it matters. */
async function readIfPossible(view: VolumeView, path: string): Promise<Buffer | undefined> {
  try {
    return await readIfThere(view.fileSystem, path);
  } catch (error) {
    unreadable(path, error);
    return undefined;
  }
}
