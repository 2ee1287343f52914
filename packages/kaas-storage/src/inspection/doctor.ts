import type { SlotKind } from "@kaas/core";
import { checkAssignmentCopy, viewAssignments } from "./assignments-view.js";
import { checkBrokers } from "./broker-view.js";
import {
  checkClusterDirectory,
  listSlots,
  type ProducerIdsView,
  readCluster,
  viewProducerIds,
} from "./cluster-view.js";
import { type Finding, finding, isSound, sortFindings } from "./finding.js";
import { lookUntilLasting } from "./lasting.js";
import { checkPartition, type PartitionCheck, type PartitionPlace } from "./partition-check.js";
import { summarisePartition } from "./partition-summary.js";
import { checkPermissions } from "./permission-check.js";
import { checkSpace, viewRoot } from "./root-check.js";
import { checkSlot } from "./slot-check.js";
import { viewSlot } from "./slot-view.js";
import type { TopicView } from "./topic-view.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** How far a long examination has come. */
export interface Progress {
  /** What is being looked at. */
  readonly at: string;
  /** Bytes of logs. */
  readonly done: number;
  readonly total: number;
}

/** All that an examination found. */
export interface DoctorReport {
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** Whether none of them is more than what a crash leaves behind. */
  readonly isSound: boolean;
  readonly partitions: number;
  readonly batches: number;
  readonly records: number;
  readonly bytes: number;
}

/** Looks at everything on a volume. A newer format of the cluster's document ends it: the rest may mean anything. */
export async function examine(
  view: VolumeView,
  isLive: boolean,
  progress?: (progress: Progress) => void,
): Promise<DoctorReport> {
  const { cluster, findings: clusterFindings } = await readCluster(view);
  if (clusterFindings.some(({ code }) => code === "format-unknown")) return reportOf(clusterFindings, []);
  const findings = [...clusterFindings];
  const lasting = async (look: () => Promise<readonly Finding[]>): Promise<void> => {
    findings.push(...(await examinePart(view, isLive, look)));
  };
  await lasting(() => checkSpace(view));
  await lasting(() => checkPermissions(view));
  await lasting(() => checkClusterDirectory(view));
  await lasting(() => checkBrokers(view));
  await lasting(async () => (await viewProducerIds(view)).findings);
  await lasting(async () => {
    const seen = await viewAssignments(view);
    return [...seen.findings, ...(await checkAssignmentCopy(view, seen))];
  });
  for (const kind of ["groups", "transactions"] as const) {
    let slots: Awaited<ReturnType<typeof listSlots>> = [];
    await lasting(async () => {
      slots = await listSlots(view, kind);
      return [];
    });
    for (const { slot, directory } of slots) {
      await lasting(() => examineSlot(view, kind, slot, directory, cluster?.slotCount));
    }
  }
  let topics: readonly TopicView[] = [];
  await lasting(async () => {
    const root = await viewRoot(view);
    topics = root.topics;
    return [...root.findings, ...root.topics.flatMap((topic) => topic.findings)];
  });
  const checks = await examinePartitions(view, topics, isLive, progress);
  for (const check of checks) findings.push(...check.findings);
  findings.push(...(await checkProducerIds(view, checks)));
  return reportOf(findings, checks);
}

/** Notes are left out while a broker is at work: what it has under way looks like what a crash leaves behind. */
async function examinePart(
  view: VolumeView,
  isLive: boolean,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const { findings } = await lookUntilLasting(view.host, async () => {
    try {
      const found = await look();
      return { findings: isLive ? found.filter(isNoPassingNote) : found };
    } catch (error) {
      return { findings: [unreadable(view.directory, error)] };
    }
  });
  return findings;
}

function isNoPassingNote({ severity, code }: Finding): boolean {
  return severity !== "note" || code === "volume-exposed" || code === "name-unknown";
}

async function examineSlot(
  view: VolumeView,
  kind: SlotKind,
  slot: number,
  directory: string,
  slotCount: number | undefined,
): Promise<readonly Finding[]> {
  try {
    const seen = await viewSlot(view, directory);
    return seen === undefined ? [] : await checkSlot(view, seen, { kind, slot, slotCount });
  } catch (error) {
    return [unreadable(directory, error)];
  }
}

async function examinePartitions(
  view: VolumeView,
  topics: readonly TopicView[],
  isLive: boolean,
  progress: ((progress: Progress) => void) | undefined,
): Promise<readonly PartitionCheck[]> {
  const places = topics.flatMap(({ name, partitions }) =>
    partitions.map((place): PartitionPlace => ({ topic: name, ...place })),
  );
  const total = progress === undefined ? 0 : await totalBytes(view, places);
  const checks: PartitionCheck[] = [];
  let done = 0;
  for (const place of places) {
    const at = `${place.topic}/${place.partition}`;
    const check = await checkPartition(view, place, {
      isLive,
      progress: (bytes) => {
        done += bytes;
        progress?.({ at, done, total });
      },
    });
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

/** What there is to go through. A partition that cannot be read says so when its turn comes. */
async function totalBytes(view: VolumeView, places: readonly PartitionPlace[]): Promise<number> {
  let total = 0;
  for (const place of places) {
    try {
      total += (await summarisePartition(view, place))?.sizeBytes ?? 0;
    } catch (error) {
      unreadable(place.directory, error);
    }
  }
  return total;
}

/** Producer ids in logs that no block covers. Blocks are claimed before an id is used, so they are read afterwards. */
async function checkProducerIds(view: VolumeView, checks: readonly PartitionCheck[]): Promise<Finding[]> {
  let ids: ProducerIdsView;
  try {
    ids = await viewProducerIds(view);
  } catch {
    return []; // it has been found unreadable above
  }
  const claimedTo = Math.max(0, ...ids.blocks.map(({ first, count }) => first + count));
  return checks
    .filter(({ totals }) => totals.largestProducerId >= claimedTo)
    .map(({ directory, totals }) => {
      const message = `it holds producer id ${totals.largestProducerId}, and blocks reach up to ${claimedTo - 1}`;
      return finding("producer-id-unclaimed", directory, message);
    });
}

function reportOf(findings: readonly Finding[], checks: readonly PartitionCheck[]): DoctorReport {
  const sum = (pick: (check: PartitionCheck) => number): number => checks.reduce((all, one) => all + pick(one), 0);
  return {
    findings: sortFindings(withoutDoubles(findings)),
    isSound: isSound(findings),
    partitions: checks.length,
    batches: sum(({ totals }) => totals.batches),
    records: sum(({ totals }) => totals.records),
    bytes: sum(({ totals }) => totals.bytes),
  };
}

/** Several looks may have come past the same file. */
function withoutDoubles(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((one) => [`${one.code} ${one.file} ${one.message}`, one])).values()];
}
