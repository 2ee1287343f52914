// One of those who keep a broker busy, until its connection breaks or it is told to stop.
import { ConnectionLost, WireClient } from "../lib/wire-client.js";
import type { Moment } from "./moment.js";

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export abstract class Actor {
  /** Between two steps, so that a recording stays small; 0 for as fast as it goes. */
  readonly #pauseMs: number;
  #isStopping = false;
  /** What it was told that it should not have been. */
  protected readonly surprises: string[] = [];

  constructor(pauseMs = 0) {
    this.#pauseMs = pauseMs;
  }

  protected get isStopping(): boolean {
    return this.#isStopping;
  }

  stop(): void {
    this.#isStopping = true;
  }

  async run(port: number): Promise<void> {
    this.#isStopping = false;
    await this.live(port);
  }

  /** One connection's life. */
  protected async live(port: number): Promise<void> {
    const client = await this.connect(port);
    if (client === undefined) return;
    try {
      while (!this.#isStopping) {
        await this.step(client);
        if (this.#pauseMs > 0) await pause(this.#pauseMs);
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    } finally {
      client.close();
    }
  }

  /** Undefined when it was stopped before the broker was up. */
  protected async connect(port: number): Promise<WireClient | undefined> {
    while (!this.#isStopping) {
      try {
        return await WireClient.connect(port);
      } catch {
        await pause(20);
      }
    }
    return undefined;
  }

  /** Something is not right; a broker that starts may have to be asked again. */
  protected surprise(what: string): Promise<void> {
    this.surprises.push(what);
    return pause(50);
  }

  protected abstract step(client: WireClient): Promise<void>;

  /** What is wrong with what the broker has now, if the power went at that moment. */
  abstract problems(client: WireClient, moment: Moment): Promise<string[]>;
}
