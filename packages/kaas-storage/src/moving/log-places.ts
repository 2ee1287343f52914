import type { PartitionId } from "@kaas/core";
import type { LogEnvironment } from "../partition/log-environment.js";

/** A directory of topics, and what the logs in it work with. */
export interface LogVolume {
  /** What topics call it by; null for the data directory. */
  readonly name: string | null;
  readonly path: string;
  readonly environment: LogEnvironment;
  /** Makes ready for partitions of the topic; rejects while the directory cannot be used. */
  prepare(id: PartitionId): Promise<void>;
}

/** All directories that logs may lie in. */
export interface LogPlaces {
  /** The data directory first. */
  readonly volumes: readonly [LogVolume, ...LogVolume[]];
  /** Where the topic says that a partition lies. It may have moved on since. */
  readonly volumeOf: (id: PartitionId) => LogVolume;
  /** Throws when there is none of the name. */
  readonly volumeNamed: (name: string | null) => LogVolume;
}

/** Where a partition's files are, in a directory of topics. */
export function partitionDirectory({ path }: Pick<LogVolume, "path">, { topic, partition }: PartitionId): string {
  return `${path}/${topic}/${partition}`;
}
