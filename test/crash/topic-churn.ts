// Makes and deletes topics, and later looks whether each is there, or gone, as it was told.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { DeleteTopicsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { Prng } from "../bad-input/prng.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";
import { createTopic, topicIds } from "./topics.js";

type Fate = "there" | "gone" | "in doubt";

export class TopicChurn {
  readonly #fates = new Map<string, Fate>();
  readonly #ids = new Map<string, string>();
  readonly #prng: Prng;
  readonly problemsSeen: string[] = [];
  #made = 0;
  #stopping = false;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  get count(): number {
    return this.#fates.size;
  }

  stop(): void {
    this.#stopping = true;
  }

  async run(port: number): Promise<void> {
    this.#stopping = false;
    const client = await WireClient.connectWhenUp(port);
    try {
      while (!this.#stopping) {
        if (this.#prng.oneIn(2)) await this.#create(client);
        else await this.#delete(client);
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    } finally {
      client.close();
    }
  }

  async #create(client: WireClient): Promise<void> {
    const name = `churn-${this.#made++}`;
    this.#fates.set(name, "in doubt");
    const code = await createTopic(client, name, 1 + this.#prng.integer(3));
    if (code === 0) this.#fates.set(name, "there");
    else this.problemsSeen.push(`${name} was refused with error ${code}`);
  }

  async #delete(client: WireClient): Promise<void> {
    const there = [...this.#fates].filter(([, fate]) => fate === "there").map(([name]) => name);
    if (there.length < 5) return;
    const name = this.#prng.pick(there);
    this.#fates.set(name, "in doubt");
    const response = await client.call<DeleteTopicsResponse>(ApiKey.DeleteTopics, 5, {
      topicNames: [name],
      timeoutMs: 30_000,
    });
    const code = response.responses[0]?.errorCode;
    if (code === 0) this.#fates.set(name, "gone");
    else this.problemsSeen.push(`deletion of ${name} was refused with error ${code}`);
  }

  /** What is wrong with the topics that the broker has now; what was in doubt is settled by it. */
  async problems(client: WireClient): Promise<string[]> {
    const problems = this.problemsSeen.splice(0);
    const ids = await topicIds(client);
    for (const [name, fate] of this.#fates) {
      const id = ids.get(name);
      if (fate === "there" && id === undefined) problems.push(`${name} was made, and is gone`);
      if (fate === "gone" && id !== undefined) problems.push(`${name} was deleted, and is there`);
      const known = this.#ids.get(name);
      if (id !== undefined && known !== undefined && known !== id) problems.push(`${name} had id ${known}, now ${id}`);
      if (id !== undefined) this.#ids.set(name, id);
      this.#fates.set(name, id === undefined ? "gone" : "there");
    }
    return problems;
  }
}
