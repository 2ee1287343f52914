// A group that commits ever higher offsets.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type {
  OffsetCommitResponse,
  OffsetFetchResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { pause } from "../crash/actor.js";
import type { WireClient } from "../lib/wire-client.js";
import { ClientLoop, COORDINATOR_CODES } from "./client-loop.js";

const LOADED_WITHIN_MS = 60_000;

export class Committer extends ClientLoop {
  protected readonly retriable: ReadonlySet<number> = COORDINATOR_CODES;
  readonly #group: string;
  readonly #topic: string;
  #sent = 0;
  #acknowledged = 0;

  constructor(group: string, topic: string) {
    super(group, 20);
    this.#group = group;
    this.#topic = topic;
  }

  protected async step(client: WireClient): Promise<number> {
    const committedOffset = ++this.#sent;
    const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata: "" }];
    const response = await client.call<OffsetCommitResponse>(ApiKey.OffsetCommit, 8, {
      groupId: this.#group,
      topics: [{ name: this.#topic, partitions }],
    });
    const code = response.topics[0]?.partitions[0]?.errorCode ?? -1;
    if (code === 0) this.#acknowledged = committedOffset;
    return code;
  }

  async problems(client: WireClient): Promise<string[]> {
    const problems = this.surprises.map((surprise) => `${this.name}: ${surprise}`);
    const found = await this.#committed(client);
    if (found >= this.#acknowledged && found <= this.#sent) return problems;
    return [...problems, `${this.name}: ${found} is committed, ${this.#acknowledged} was acknowledged`];
  }

  async #committed(client: WireClient): Promise<number> {
    for (const end = performance.now() + LOADED_WITHIN_MS; ; ) {
      const response = await client.call<OffsetFetchResponse>(ApiKey.OffsetFetch, 8, {
        groups: [{ groupId: this.#group, topics: null }],
        requireStable: false,
      });
      const [group] = response.groups;
      if (group?.errorCode === 0) return group.topics[0]?.partitions[0]?.committedOffset ?? 0;
      if (performance.now() > end) throw new Error(`${this.name}: OffsetFetch: error ${group?.errorCode}`);
      await pause(50);
    }
  }
}
