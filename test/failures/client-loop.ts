// One client of a broker whose disk fails: sends one request after the other, and notes what it is told and how soon.
import { pause } from "../crash/actor.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";

/** What every client takes as "try again", beside {@link COORDINATOR_CODES} for those that speak to a coordinator. */
export const LEADER_CODES: ReadonlySet<number> = new Set([5, 6, 7, 56]);
export const COORDINATOR_CODES: ReadonlySet<number> = new Set([7, 14, 15, 16]);
const RETRY_MS = 50;

export abstract class ClientLoop {
  readonly name: string;
  /** How often it was told which error. */
  readonly errors: Map<number, number> = new Map();
  /** What it should not have been told. */
  readonly surprises: string[] = [];
  /** The longest that it waited for an answer. */
  slowestMs = 0;
  /** Requests that succeeded. */
  successes = 0;
  readonly #pauseMs: number;
  #isStopping = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(name: string, pauseMs: number) {
    this.name = name;
    this.#pauseMs = pauseMs;
  }

  get errorCount(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  start(port: number): this {
    this.#ended = this.#live(port);
    return this;
  }

  /** Resolves when the request under way has been answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  /** Forgets how long answers took until now. */
  resetClock(): void {
    this.slowestMs = 0;
  }

  async #live(port: number): Promise<void> {
    const client = await WireClient.connect(port);
    try {
      while (!this.#isStopping) {
        const begin = performance.now();
        const code = await this.step(client);
        this.slowestMs = Math.max(this.slowestMs, performance.now() - begin);
        if (code === 0) this.successes++;
        else this.#note(code);
        await pause(code === 0 ? this.#pauseMs : RETRY_MS);
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost) || !this.#isStopping) this.surprises.push((error as Error).message);
    } finally {
      client.close();
    }
  }

  #note(code: number): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
    if (this.retriable.has(code)) return;
    this.surprises.push(`error ${code}`);
    this.#isStopping = true;
  }

  protected abstract readonly retriable: ReadonlySet<number>;

  /** Sends one request; answers its error code. */
  protected abstract step(client: WireClient): Promise<number>;

  /** What is wrong with what a broker has in the end. */
  abstract problems(client: WireClient): Promise<string[]>;
}
