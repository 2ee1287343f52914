import type { Topic } from "../cluster/topic-table.js";
import type { RequestContext } from "./api-handler.js";
import { liveEndpoint, type NodeEndpoint } from "./cluster-endpoints.js";

/** A leader and the epoch that it has claimed. */
export interface CurrentLeader {
  readonly leaderId: number;
  readonly leaderEpoch: number;
}

/**
 * Where partitions have gone, for clients that need not ask for metadata then (KIP-951). Clients believe a leader only
 * with an epoch that is newer than the one they know, so until a new leader's epoch is known there is nothing to say.
 */
export class LeaderHints {
  readonly #context: RequestContext;
  readonly #endpoints = new Map<number, NodeEndpoint>();

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Who leads a partition, as far as that helps a client; its endpoint is among the {@link nodeEndpoints} then. */
  leaderOf(topic: Topic | undefined, partition: number): CurrentLeader | null {
    if (topic === undefined) return null;
    const { cluster } = this.#context.broker;
    const leadership = cluster.leadership(topic.id, partition);
    if (leadership === undefined) return null;
    const { leaderId } = leadership;
    const leaderEpoch =
      leaderId === cluster.nodeId ? (topic.partitions[partition]?.leaderEpoch ?? -1) : leadership.leaderEpoch;
    const endpoint = leaderEpoch < 0 ? undefined : liveEndpoint(this.#context, leaderId);
    if (endpoint === undefined) return null;
    this.#endpoints.set(leaderId, endpoint);
    return { leaderId, leaderEpoch };
  }

  /** How the leaders that were named are reached, each once. */
  get nodeEndpoints(): NodeEndpoint[] {
    return [...this.#endpoints.values()];
  }
}
