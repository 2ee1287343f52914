/** What has which name in the data directory and in the cluster directory, for those who write and those who look. */

/**
 * The cluster directory within the data directory, where it is no directory of its own. A further log directory has its
 * lock in one of the same name. No topic can be called so.
 */
export const CLUSTER_DIRECTORY_NAME = "__cluster";

/** Cluster id and number of slots. */
export const CLUSTER_NAME = "cluster.json";
/** The directory of all brokers' fuses. */
export const BROKERS_NAME = "brokers";
/** The directory of blocks of producer ids. */
export const PRODUCER_IDS_NAME = "producer_ids";
/** The directory of assignments, and of the claims of controllers. */
export const ASSIGNMENTS_NAME = "assignments";
/** A copy of the newest assignment, for people and tools. */
export const ASSIGNMENT_COPY_NAME = "assignment.json";
/** The directory of wishes that brokers lead nothing. */
export const DRAINS_NAME = "drains";

const DRAIN_NAME = /^([A-Za-z0-9._-]{1,249})\.json$/;
const PRODUCER_ID_BLOCK_NAME = /^block-(\d{10})\.json$/;

/** Where the cluster's files are when nobody says otherwise. */
export function defaultClusterDirectory(dataDirectory: string): string {
  return `${dataDirectory}/${CLUSTER_DIRECTORY_NAME}`;
}

export function drainName(broker: string): string {
  return `${broker}.json`;
}

/** The broker that is to lead nothing, by a wish's name; undefined for any other name. */
export function drainedBroker(name: string): string | undefined {
  return DRAIN_NAME.exec(name)?.[1];
}

export function producerIdBlockName(number: number): string {
  return `block-${String(number).padStart(10, "0")}.json`;
}

/** The number in a block's name; undefined for any other name. */
export function producerIdBlockNumber(name: string): number | undefined {
  const number = PRODUCER_ID_BLOCK_NAME.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
}
