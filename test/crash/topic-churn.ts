// Makes and deletes topics, and later looks whether each is there, or gone, as it was told.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { DeleteTopicsResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import type { Prng } from "../bad-input/prng.js";
import { type AnswerPlace, placeOf, type WireClient } from "../lib/wire-client.js";
import { Actor, pause } from "./actor.js";
import type { Change, Mark, Moment } from "./moment.js";
import { readLog } from "./partition-check.js";
import { createTopic, topicIds } from "./topics.js";

type ChurnTopic = {
  readonly name: string;
  readonly made: Change<string>;
  deleted: Change<string> | undefined;
  /** Its only record has been acknowledged. */
  written: AnswerPlace | undefined;
  /** Known from the first look after a start, then fixed. */
  id: string | undefined;
  /** It was in doubt, and a look has shown that it is not there. */
  isGone: boolean;
};

const TOPICS_MIN = 5;

export class TopicChurn extends Actor {
  readonly #topics: ChurnTopic[] = [];
  readonly #prng: Prng;
  readonly #mark: Mark;

  constructor(options: { readonly prng: Prng; readonly mark: Mark; readonly pauseMs: number }) {
    super(options.pauseMs);
    this.#prng = options.prng;
    this.#mark = options.mark;
  }

  get count(): number {
    return this.#topics.length;
  }

  protected step(client: WireClient): Promise<void> {
    return this.#prng.oneIn(2) ? this.#create(client) : this.#delete(client);
  }

  async #create(client: WireClient): Promise<void> {
    const name = `churn-${this.#topics.length}`;
    const made: Change<string> = { value: name, askedAt: this.#mark(), answer: undefined };
    const topic: ChurnTopic = { name, made, deleted: undefined, written: undefined, id: undefined, isGone: false };
    this.#topics.push(topic);
    const { errorCode, id, response } = await createTopic(client, name, 1 + this.#prng.integer(3));
    if (errorCode !== 0) return this.surprise(`${name} was refused with error ${errorCode}`);
    topic.id = id;
    made.answer = placeOf(response);
    if (this.#prng.oneIn(2)) await this.#write(client, topic);
  }

  async #write(client: WireClient, topic: ChurnTopic): Promise<void> {
    const records = buildBatch([{ value: Buffer.from(topic.name), timestamp: Date.now() }]);
    const response = await client.call<ProduceResponse>(ApiKey.Produce, 9, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: topic.name, partitionData: [{ index: 0, records }] }],
    });
    const code = response.responses[0]?.partitionResponses[0]?.errorCode ?? -1;
    if (code === 0) topic.written = placeOf(response);
    else await pause(20); // its log is still being opened
  }

  async #delete(client: WireClient): Promise<void> {
    const there = this.#topics.filter(
      ({ made, deleted, isGone }) => made.answer !== undefined && deleted === undefined && !isGone,
    );
    if (there.length < TOPICS_MIN) return;
    const topic = this.#prng.pick(there);
    const deleted: Change<string> = { value: topic.name, askedAt: this.#mark(), answer: undefined };
    topic.deleted = deleted;
    const response = await client.call<DeleteTopicsResponse>(ApiKey.DeleteTopics, 5, {
      topicNames: [topic.name],
      timeoutMs: 30_000,
    });
    const code = response.responses[0]?.errorCode;
    if (code === 0) deleted.answer = placeOf(response);
    else await this.surprise(`deletion of ${topic.name} was refused with error ${code}`);
  }

  /** What is wrong with the topics that the broker has now. */
  async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const problems = this.surprises.splice(0);
    const ids = await topicIds(client);
    const happened = (change: Change<string> | undefined) =>
      change?.answer !== undefined && moment.answered(change.answer);
    for (const topic of this.#topics) {
      const { name, made, deleted } = topic;
      const id = ids.get(name);
      const mayBeGone = deleted !== undefined && moment.asked(deleted.askedAt);
      if (id === undefined) {
        if (happened(made) && !mayBeGone) problems.push(`${name} was made, and is gone`);
        continue;
      }
      if (happened(deleted)) problems.push(`${name} was deleted, and is there`);
      if (!moment.asked(made.askedAt)) problems.push(`${name} is there before anybody asked for it`);
      if (topic.id !== undefined && topic.id !== id) problems.push(`${name} had id ${topic.id}, now ${id}`);
      if (topic.written !== undefined && moment.answered(topic.written)) {
        const { batches } = await readLog(client, name, 0);
        if (batches.length !== 1 || !batches[0]?.includes(name)) problems.push(`the record of ${name} is not there`);
      }
    }
    return problems;
  }

  /** After a start that nothing is rolled back from any more: what was in doubt is settled by what the broker has. */
  async settle(client: WireClient): Promise<void> {
    const ids = await topicIds(client);
    for (const topic of this.#topics) {
      const id = ids.get(topic.name);
      topic.isGone = id === undefined;
      if (id !== undefined) topic.id = id;
    }
  }
}
