import { KaasError, type Log } from "@kaas/core";
import type { ServingBroker } from "./compose.js";

/** Who loses its fuse to another process of its name after so short a time runs against it: starting anew does not help. */
const SUPERSEDED_AGAIN_MS = 10_000;

export interface KeepServingOptions {
  readonly start: () => Promise<ServingBroker>;
  readonly log: Log;
  readonly monotonic: () => number;
  /** Called after every start. */
  readonly started: (serving: ServingBroker) => void;
  /** It does not serve, and will not. */
  readonly gaveUp: () => void;
}

/** A broker that is started again when another one has taken over from it. */
export interface KeptServing {
  /** Ends it in order. */
  close(): Promise<void>;
}

/**
 * Starts a broker, and starts it again as a new incarnation, in place, whenever its fuse is blown: what it led is
 * another's, and it may be given something else. Rejects when the first start fails.
 */
export async function keepServing(options: KeepServingOptions): Promise<KeptServing> {
  const keeper = new Keeper(options);
  await keeper.started();
  return keeper;
}

class Keeper implements KeptServing {
  readonly #options: KeepServingOptions;
  #current: Promise<ServingBroker>;
  #isClosing = false;

  constructor(options: KeepServingOptions) {
    this.#options = options;
    this.#current = options.start();
  }

  async started(): Promise<void> {
    this.#follow(await this.#current);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await (await this.#current).close();
  }

  #follow(serving: ServingBroker): void {
    const sinceMs = this.#options.monotonic();
    this.#options.started(serving);
    void serving.fenced.then(
      (error) => this.#fenced(serving, error, sinceMs),
      (failure: unknown) => this.#controlEnded(serving, failure),
    );
  }

  async #fenced(serving: ServingBroker, { code, message }: KaasError, sinceMs: number): Promise<void> {
    if (this.#isClosing) return;
    const { log, monotonic, gaveUp } = this.#options;
    const isSoon = monotonic() - sinceMs < SUPERSEDED_AGAIN_MS;
    if (isSoon && (await this.#isSuperseded(serving))) {
      log.error({ code }, `${message}, soon after it started, to another process of its name: are there two?`);
      gaveUp();
      return;
    }
    if (this.#isClosing) return;
    log.error({ code }, `${message}; the broker starts again as a new incarnation`);
    this.#current = this.#restart(serving);
    await this.#followRestarted();
  }

  /** Where that cannot be found out it is supposed, and whoever starts processes goes on. */
  async #isSuperseded(serving: ServingBroker): Promise<boolean> {
    try {
      return await serving.isSuperseded();
    } catch (error) {
      this.#options.log.warn({ err: error }, "whether another process has the broker's name cannot be found out");
      return true;
    }
  }

  async #followRestarted(): Promise<void> {
    const serving = await this.#current.catch((failure: unknown) => {
      this.#options.log.error({ err: failure }, "the broker could not be started again");
      this.#options.gaveUp();
      return undefined;
    });
    if (serving !== undefined) this.#follow(serving);
  }

  async #controlEnded(serving: ServingBroker, failure: unknown): Promise<void> {
    if (this.#isClosing) return;
    const { log, gaveUp } = this.#options;
    log.error({ err: failure }, "the control plane of the broker has ended; the broker stops");
    await this.#close(serving, "the broker could not be closed in order");
    gaveUp();
  }

  async #restart(serving: ServingBroker): Promise<ServingBroker> {
    await this.#close(serving, "the broker that lost its fuse could not be closed in order");
    if (this.#isClosing) throw new KaasError("KAAS_CLOSED", "the broker was asked to stop");
    return this.#options.start();
  }

  async #close(serving: ServingBroker, complaint: string): Promise<void> {
    try {
      await serving.close();
    } catch (error) {
      this.#options.log.warn({ err: error }, complaint);
    }
  }
}
