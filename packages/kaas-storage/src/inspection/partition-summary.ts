import { type StateSource, viewPartition } from "./partition-view.js";
import type { PartitionPlace } from "./partition-check.js";
import { sizeIfThere, type VolumeView } from "./volume-view.js";

/** A partition by its documents and the sizes of its files; no batch is read. */
export interface PartitionSummary extends PartitionPlace {
  /** The leader epoch in force; −1: it was never led. */
  readonly epoch: number;
  /** Who claimed that epoch. */
  readonly broker: string | undefined;
  /** Which document says what the log consists of. `released`: its leader handed it over in order. */
  readonly source: StateSource | undefined;
  readonly logStartOffset: number | undefined;
  /** Up to where documents describe the log; the open segment goes on from there. */
  readonly describedEndOffset: number | undefined;
  readonly segments: number;
  /** What the segments in force take; of one that is open, the file with the zeros written ahead. */
  readonly sizeBytes: number;
}

/** Describes a partition; undefined when there is no such directory. */
export async function summarisePartition(
  view: VolumeView,
  place: PartitionPlace,
): Promise<PartitionSummary | undefined> {
  const partition = await viewPartition(view, place.directory, place.arrival);
  if (partition === undefined) return undefined;
  const { state, tail, listed } = partition;
  let sizeBytes = (state?.segments ?? []).reduce((sum, segment) => sum + segment.sizeBytes, 0);
  for (const file of tail) sizeBytes += (await sizeIfThere(view, listed.path(file.name))) ?? 0;
  return {
    ...place,
    epoch: partition.sealEpoch,
    broker: partition.claim?.broker,
    source: partition.source,
    logStartOffset: state?.logStartOffset,
    describedEndOffset: state?.endOffset,
    segments: (state?.segments.length ?? 0) + tail.length,
    sizeBytes,
  };
}
