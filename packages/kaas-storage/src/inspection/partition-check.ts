import type { MovedAway } from "../partition/recovery.js";
import { Segment } from "../partition/segment.js";
import { checkDocuments, sourceFile } from "./partition-documents-check.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { lookUntilLasting } from "./lasting.js";
import { checkCopies, findLeftovers } from "./leftovers.js";
import { type PartitionView, viewPartition } from "./partition-view.js";
import { checkSegment, type SegmentCheck } from "./segment-check.js";
import { addTotals, type BatchTotals, noBatches } from "./segment-scan.js";
import { checkTail } from "./tail-check.js";
import { TransactionCheck } from "./transaction-check.js";
import { isFileSystemName, unreadable, type VolumeView } from "./volume-view.js";

/** Which partition, and where it is. */
export interface PartitionPlace {
  readonly topic: string;
  readonly partition: number;
  readonly directory: string;
  /** What it arrived with, where it was moved to the directory and nobody has led it there yet. @internal */
  readonly arrival?: MovedAway | undefined;
}

/** What checking one partition came to. */
export interface PartitionCheck extends PartitionPlace {
  /** −1: it was never led. */
  readonly epoch: number;
  readonly logStartOffset: number;
  /** Where the next record would go. */
  readonly endOffset: number;
  readonly segments: number;
  readonly totals: BatchTotals;
  readonly findings: readonly Finding[];
}

export interface PartitionCheckOptions {
  /** A broker may be writing to it: what it has under way is no finding. */
  readonly isLive: boolean;
  /** So many more bytes were gone through. */
  readonly progress: (bytes: number) => void;
}

/**
 * Checks one partition: documents, segments, indexes, the open end, leftovers. A broker may change all of it meanwhile,
 * so what seems wrong is looked at again, from a fresh listing on, and reported when it is still there. Undefined when
 * there is no such directory, or no longer.
 */
export async function checkPartition(
  view: VolumeView,
  place: PartitionPlace,
  options: PartitionCheckOptions,
): Promise<PartitionCheck | undefined> {
  /** Segments that were found to be sound; they do not change. */
  const sound = new Map<string, SegmentCheck>();
  const { check, findings } = await lookUntilLasting(view.host, async () => {
    const looked = await lookOnce(view, place, options, sound);
    return { check: looked, findings: looked?.findings ?? [] };
  });
  return check === undefined ? undefined : { ...check, findings };
}

async function lookOnce(
  view: VolumeView,
  place: PartitionPlace,
  options: PartitionCheckOptions,
  sound: Map<string, SegmentCheck>,
): Promise<PartitionCheck | undefined> {
  try {
    return await lookAt(view, place, options, sound);
  } catch (error) {
    const findings = [unreadable(place.directory, error)];
    return { ...place, epoch: -1, logStartOffset: 0, endOffset: 0, segments: 0, totals: noBatches(), findings };
  }
}

async function lookAt(
  view: VolumeView,
  place: PartitionPlace,
  { isLive, progress }: PartitionCheckOptions,
  sound: Map<string, SegmentCheck>,
): Promise<PartitionCheck | undefined> {
  const partition = await viewPartition(view, place.directory, place.arrival);
  if (partition === undefined) return undefined;
  const totals = noBatches();
  const findings = await checkDocuments(view, partition);
  findings.push(...(await checkSegments(view, partition, totals, progress, sound)));
  const tail = await checkTail(view, partition, progress);
  addTotals(totals, tail.totals);
  findings.push(...tail.findings, ...(await checkProducers(view, partition)));
  // Beside what a person has to look at, nothing is called needless.
  if (findings.every(isHarmless)) findings.push(...findLeftovers(partition));
  findings.push(...(await checkCopies(view, partition)), ...foreignNames(partition));
  return {
    ...place,
    epoch: partition.sealEpoch,
    logStartOffset: partition.state?.logStartOffset ?? 0,
    endOffset: tail.endOffset,
    segments: (partition.state?.segments.length ?? 0) + partition.tail.length,
    totals,
    // What a leader has under way looks like what a crash leaves behind.
    findings: isLive
      ? findings.filter(({ severity, code }) => severity !== "note" || code === "index-missing")
      : findings,
  };
}

function isHarmless({ severity, code }: Finding): boolean {
  return severity === "note" || code === "index-wrong";
}

async function checkSegments(
  view: VolumeView,
  { directory, state }: PartitionView,
  totals: BatchTotals,
  progress: (bytes: number) => void,
  sound: Map<string, SegmentCheck>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const segments = state?.segments ?? [];
  const transactions = new TransactionCheck(segments[0]?.baseOffset ?? 0);
  // Transactions reach over segments: where there are some, all are gone through each time.
  const mayRemember = segments.every(({ abortedEntries }) => abortedEntries <= 0);
  for (const record of segments) {
    const key = `${Segment.of(directory, record).fileName("log")} ${record.sizeBytes}`;
    const check = sound.get(key) ?? (await checkSegment(view, directory, record, transactions, progress));
    if (mayRemember && check.findings.length === 0) sound.set(key, check);
    findings.push(...check.findings);
    addTotals(totals, check.totals);
  }
  return findings;
}

/** The saved state of producers, where a document names one. */
async function checkProducers(view: VolumeView, partition: PartitionView): Promise<Finding[]> {
  const name = partition.state?.producers.snapshot ?? null;
  if (name === null) return [];
  const path = partition.listed.path(name);
  const probe = await probeDocument(view, path, "producer-snapshot");
  if (probe.state === "valid") return [];
  const reason =
    probe.state === "bad" ? probe.finding.message : `it is not there, and ${sourceFile(partition)} names it`;
  return [finding("producers-missing", path, reason)];
}

function foreignNames({ foreign, listed }: PartitionView): Finding[] {
  return foreign
    .filter((name) => !isFileSystemName(name))
    .map((name) => finding("name-unknown", listed.path(name), "it is none of a partition's files"));
}
