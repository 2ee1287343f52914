import { Exposition, type KafkaBroker } from "@kaas/core";
import type { Volume } from "@kaas/storage";

const MS_PER_SECOND = 1_000;

/** All that the data plane has to say to Prometheus. */
export function metricsText(broker: KafkaBroker, volume: Volume): string {
  const exposition = new Exposition();
  broker.writeMetrics(exposition);
  writeVolumeMetrics(exposition, volume);
  return exposition.text();
}

/** What the volume has measured, and how it is. */
function writeVolumeMetrics(exposition: Exposition, volume: Volume): void {
  exposition
    .family(
      "kaas_commit_cycle_seconds",
      "histogram",
      "From a group of appends on its way to the disk to its acknowledgement.",
    )
    .seconds(volume.commitTimes)
    .single(
      "kaas_fuse_age_seconds",
      "gauge",
      "Since the fuse of this process was last found live.",
      volume.fuseAgeMs / MS_PER_SECOND,
    )
    .single(
      "kaas_storage_stalled",
      "gauge",
      "1 while the volume does not answer.",
      Number(volume.status() === "storage_stalled"),
    )
    .single(
      "kaas_fenced",
      "gauge",
      "1 once another process has taken over from this one.",
      Number(volume.status() === "fenced"),
    );
}
