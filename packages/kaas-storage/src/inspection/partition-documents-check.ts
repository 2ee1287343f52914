import type { LogState } from "../documents/document-types.js";
import { epochFileName } from "../leadership/epoch-names.js";
import type { PartitionFile } from "../partition/file-names.js";
import type { ListedFile } from "../partition/partition-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import type { PartitionView } from "./partition-view.js";
import type { VolumeView } from "./volume-view.js";

const DOCUMENTS = ["claim", "seal", "released", "manifest"] as const;
type PartitionDocument = (typeof DOCUMENTS)[number];

/** Checks claims, seals, manifests and the hand-over of the epoch in force, and those of epochs above it. */
export async function checkDocuments(view: VolumeView, partition: PartitionView): Promise<Finding[]> {
  const { listed, sealEpoch } = partition;
  const findings: Finding[] = [...partition.findings];
  for (const file of listed.files) {
    if (!isDocument(file) || file.epoch < sealEpoch) continue;
    const probe = await probeDocument(view, listed.path(file.name), file.kind);
    if (probe.state === "bad" && !findings.some((known) => known.file === probe.finding.file)) {
      findings.push(probe.finding);
    }
  }
  findings.push(...checkEpochs(partition));
  if (partition.state !== undefined) findings.push(...checkState(partition, partition.state));
  return findings;
}

function isDocument(file: ListedFile): file is ListedFile & { readonly kind: PartitionDocument } {
  return (DOCUMENTS as readonly string[]).includes(file.kind);
}

/** Claims and seals come in pairs; an epoch that has only a claim wrote nothing. */
function checkEpochs({ listed, sealEpoch, claimEpoch }: PartitionView): Finding[] {
  const findings: Finding[] = [];
  // Of one that has arrived, and was never led here, the seal lies where it came from.
  const isSealed = listed.of("seal", sealEpoch).length > 0;
  if (isSealed && listed.of("claim", sealEpoch).length === 0) {
    const message = `epoch ${sealEpoch} is sealed and was never claimed`;
    findings.push(finding("claim-missing", listed.path(epochFileName(sealEpoch, "claim")), message));
  }
  const above = new Map<number, PartitionFile>();
  for (const file of listed.files) {
    if (file.epoch > sealEpoch && file.kind !== "claim") above.set(file.epoch, file);
  }
  for (const [epoch, { kind }] of above) {
    const message = `epoch ${epoch} has a ${kind} file and no seal`;
    findings.push(finding("seal-missing", listed.path(epochFileName(epoch, "seal")), message));
  }
  for (let epoch = sealEpoch + 1; epoch <= claimEpoch; epoch++) {
    const [claim] = listed.of("claim", epoch);
    if (claim === undefined || above.has(epoch)) continue;
    findings.push(finding("epoch-unsealed", listed.path(claim.name), `epoch ${epoch} was claimed and never sealed`));
  }
  return findings;
}

/** Whether a document fits together by itself. */
function checkState(partition: PartitionView, state: LogState): Finding[] {
  const file = sourceFile(partition);
  const findings: Finding[] = [];
  const { segments, logStartOffset, endOffset, cleanedOffset = 0 } = state;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined || next.baseOffset === segment.nextOffset) continue;
    // Compaction may have taken out what was between them.
    if (next.baseOffset > segment.nextOffset && next.baseOffset <= cleanedOffset) continue;
    const message = `the segment at offset ${segment.baseOffset} ends at ${segment.nextOffset}, the next begins at ${next.baseOffset}`;
    findings.push(finding("segments-not-dense", file, message));
  }
  const [first] = segments;
  if (first !== undefined && first.baseOffset > Math.max(logStartOffset, cleanedOffset)) {
    const message = `the log starts at offset ${logStartOffset}, and its first segment at ${first.baseOffset}`;
    findings.push(finding("log-misdescribed", file, message));
  }
  const last = segments.at(-1)?.nextOffset;
  if (partition.source !== "manifest" && last !== undefined && Math.max(last, logStartOffset) !== endOffset) {
    findings.push(
      finding("log-misdescribed", file, `the log ends at offset ${endOffset}, its last segment at ${last}`),
    );
  }
  const isAscending = state.epochs.every(({ epoch, startOffset }, index) => {
    const before = state.epochs[index - 1];
    return before === undefined || (epoch > before.epoch && startOffset > before.startOffset);
  });
  if (!isAscending) findings.push(finding("log-misdescribed", file, "its leader epochs are not in order"));
  return findings;
}

/** The path of the document that says what the log consists of. */
export function sourceFile({ listed, source, sealEpoch }: PartitionView): string {
  if (source === "manifest") return listed.path(listed.of("manifest", sealEpoch).at(-1)?.name ?? "");
  return listed.path(epochFileName(sealEpoch, source ?? "seal"));
}
