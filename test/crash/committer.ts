// Commits ever higher offsets for a group, and later asks what the broker remembers.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type {
  OffsetCommitResponse,
  OffsetFetchResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";

export class Committer {
  readonly #group: string;
  readonly #topic: string;
  readonly #partitions: number;
  #sent = 0;
  #acknowledged = 0;
  #stopping = false;

  constructor(group: string, topic: string, partitions: number) {
    this.#group = group;
    this.#topic = topic;
    this.#partitions = partitions;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  stop(): void {
    this.#stopping = true;
  }

  async run(port: number): Promise<void> {
    this.#stopping = false;
    const client = await WireClient.connectWhenUp(port);
    try {
      while (!this.#stopping) await this.#commit(client);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    } finally {
      client.close();
    }
  }

  async #commit(client: WireClient): Promise<void> {
    const offset = ++this.#sent;
    const partitions = Array.from({ length: this.#partitions }, (_, partitionIndex) => ({
      partitionIndex,
      committedOffset: offset,
      committedMetadata: `m${offset}`,
    }));
    const response = await client.call<OffsetCommitResponse>(ApiKey.OffsetCommit, 8, {
      groupId: this.#group,
      topics: [{ name: this.#topic, partitions }],
    });
    const codes = response.topics.flatMap((topic) => topic.partitions.map((p) => p.errorCode));
    if (codes.every((code) => code === 0)) this.#acknowledged = offset;
    // The coordinator may still be starting.
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** What is wrong with the offsets that the broker has now. */
  async problems(client: WireClient): Promise<string[]> {
    for (const end = performance.now() + 20_000; ; ) {
      const response = await client.call<OffsetFetchResponse>(ApiKey.OffsetFetch, 8, {
        groups: [{ groupId: this.#group, topics: null }],
        requireStable: false,
      });
      const group = response.groups[0];
      if (group?.errorCode === 0) {
        const offsets = group.topics.flatMap((topic) => topic.partitions.map((p) => p.committedOffset));
        if (this.#acknowledged > 0 && offsets.length !== this.#partitions)
          return [`offsets of ${offsets.length} partitions`];
        return offsets
          .filter((offset) => offset < this.#acknowledged || offset > this.#sent)
          .map((o) => `offset ${o} is committed; ${this.#acknowledged} was acknowledged, ${this.#sent} was sent`);
      }
      if (performance.now() > end) return [`OffsetFetch: error ${group?.errorCode}`];
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
