// Commits ever higher offsets for a group, and later asks what the broker remembers.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type {
  OffsetCommitResponse,
  OffsetFetchResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { placeOf, type WireClient } from "../lib/wire-client.js";
import { Actor, pause } from "./actor.js";
import { type Change, type Mark, type Moment, possible } from "./moment.js";

/** Long enough that the journal of commits is rewritten every few hundred. */
const METADATA_FILLER = "m".repeat(3900);

export type CommitterOptions = {
  readonly group: string;
  readonly topic: string;
  readonly partitions: number;
  readonly mark: Mark;
  readonly pauseMs: number;
};

export class Committer extends Actor {
  readonly #options: CommitterOptions;
  readonly #commits: Change<number>[] = [];

  constructor(options: CommitterOptions) {
    super(options.pauseMs);
    this.#options = options;
  }

  get acknowledged(): number {
    return this.#commits.findLast(({ answer }) => answer !== undefined)?.value ?? 0;
  }

  protected async step(client: WireClient): Promise<void> {
    const { group, topic, mark } = this.#options;
    const commit: Change<number> = { value: this.#commits.length + 1, askedAt: mark(), answer: undefined };
    this.#commits.push(commit);
    const partitions = Array.from({ length: this.#options.partitions }, (_, partitionIndex) => ({
      partitionIndex,
      committedOffset: commit.value,
      committedMetadata: `${commit.value}:${METADATA_FILLER}`,
    }));
    const response = await client.call<OffsetCommitResponse>(ApiKey.OffsetCommit, 8, {
      groupId: group,
      topics: [{ name: topic, partitions }],
    });
    const codes = response.topics.flatMap((one) => one.partitions.map((p) => p.errorCode));
    if (codes.every((code) => code === 0)) commit.answer = placeOf(response);
    // The coordinator may still be starting.
    else await pause(50);
  }

  async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const { certain = 0, values } = possible(this.#commits, moment);
    const highest = values.at(-1) ?? 0;
    const found = await this.#committed(client);
    if (typeof found === "string") return [found];
    if (certain > 0 && found.length !== this.#options.partitions)
      return [`${this.#options.group}: offset ${certain} was acknowledged, and ${found.length} partitions have one`];
    return found
      .filter(({ offset, metadata }) => offset < certain || offset > highest || !metadata.startsWith(`${offset}:`))
      .map(
        ({ offset, metadata }) =>
          `${this.#options.group}: offset ${offset} (${metadata.slice(0, 12)}) is committed; ${certain} was acknowledged, ${highest} was sent`,
      );
  }

  async #committed(client: WireClient): Promise<{ offset: number; metadata: string }[] | string> {
    for (const end = performance.now() + 120_000; ; ) {
      const response = await client.call<OffsetFetchResponse>(ApiKey.OffsetFetch, 8, {
        groups: [{ groupId: this.#options.group, topics: null }],
        requireStable: false,
      });
      const group = response.groups[0];
      if (group?.errorCode === 0) {
        return group.topics.flatMap((topic) =>
          topic.partitions.map(({ committedOffset, metadata }) => ({
            offset: committedOffset,
            metadata: metadata ?? "",
          })),
        );
      }
      if (performance.now() > end) return `OffsetFetch: error ${group?.errorCode}`;
      await pause(20);
    }
  }
}
