import { Segment } from "../partition/segment.js";
import { MANIFEST_COPY_NAME, SEGMENT_FILE_KINDS, SNAPSHOT_COPY_NAME } from "../partition/file-names.js";
import type { ListedFile } from "../partition/partition-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { type PartitionView, segmentStem } from "./partition-view.js";
import { readIfThere, type VolumeView } from "./volume-view.js";

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
  const newestManifest = listed.of("manifest", sealEpoch).at(-1)?.name;
  return listed.files.filter((file) => {
    if (file.epoch > sealEpoch || file.name === state.producers.snapshot) return false;
    if (isSegmentFile(file)) return !stems.has(segmentStem(file.name));
    if (file.kind === "snapshot") return true;
    return file.epoch < sealEpoch || (file.kind === "manifest" && file.name !== newestManifest);
  });
}

function isSegmentFile({ kind }: ListedFile): boolean {
  return SEGMENT_FILE_KINDS.some((one) => one === kind);
}

/** The copies for people: whether they are of the newest document. */
export async function checkCopies(view: VolumeView, { listed, sealEpoch }: PartitionView): Promise<Finding[]> {
  const newestSnapshot = listed.files
    .filter(({ kind }) => kind === "snapshot")
    .sort((a, b) => a.epoch - b.epoch || a.number - b.number)
    .at(-1);
  const copies = [
    { name: MANIFEST_COPY_NAME, kind: "manifest", of: listed.of("manifest", sealEpoch).at(-1) },
    { name: SNAPSHOT_COPY_NAME, kind: "producer-snapshot", of: newestSnapshot },
  ] as const;
  const findings: Finding[] = [];
  for (const { name, kind, of } of copies) {
    const path = listed.path(name);
    const probe = await probeDocument(view, path, kind);
    if (probe.state === "bad") findings.push(finding("hint-unreadable", path, probe.finding.message));
    if (of === undefined || probe.state === "bad") continue;
    const original = await readIfThere(view, listed.path(of.name));
    const copy = await readIfThere(view, path);
    if (original !== undefined && copy?.equals(original) !== true) {
      findings.push(finding("copy-outdated", path, `it is not a copy of ${of.name}`));
    }
  }
  return findings;
}
