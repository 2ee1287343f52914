import type { AdvertisedListener, Clock, Log, Timer } from "@kaas/core";
import type { ExternalAddressesFile } from "@kaas/storage";

/** Addresses change when a load balancer is made, or replaced: seldom. */
const POLL_INTERVAL_MS = 5_000;

export interface ExternalAddressesOptions {
  readonly file: Pick<ExternalAddressesFile, "read">;
  readonly nodeId: number;
  /** Of the machine that this broker runs on: what clients reach ports of nodes by. Undefined where nobody says. */
  readonly nodeAddress: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after anything has changed. */
  readonly changed: () => void;
}

/** Where clients from outside of Kubernetes reach this broker, as the operator has found out and written down. */
export class ExternalAddresses {
  readonly #options: ExternalAddressesOptions;
  /** By the listener's name in capitals, as Kafka has it. */
  #known: ReadonlyMap<string, { readonly host: string | null; readonly port: number }> = new Map();
  #generation = 0;
  #complaint = "";
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: ExternalAddressesOptions) {
    this.#options = options;
  }

  /** Resolves when what is there has been read; follows it from then on. */
  async start(): Promise<void> {
    await this.#look();
    if (!this.#isStopped) this.#timer = this.#options.clock.schedule(POLL_INTERVAL_MS, () => void this.start());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** What clients are told instead of what the broker itself knows. */
  advertised(listeners: readonly AdvertisedListener[]): readonly AdvertisedListener[] {
    return listeners.map((listener) => {
      const found = this.#known.get(listener.listenerName);
      const host = found?.host ?? this.#options.nodeAddress;
      return found === undefined || host === undefined ? listener : { ...listener, host, port: found.port };
    });
  }

  async #look(): Promise<void> {
    const { file, nodeId, log, changed } = this.#options;
    try {
      const content = await file.read();
      this.#complaint = "";
      // Going back would be an old version of a cache.
      if (content === undefined || content.generation <= this.#generation) return;
      this.#generation = content.generation;
      const own = content.listeners.flatMap(({ name, brokers }) =>
        brokers.filter((broker) => broker.nodeId === nodeId).map((address) => [name.toUpperCase(), address] as const),
      );
      this.#known = new Map(own);
      this.#warnOfNode();
      changed();
    } catch (error) {
      const complaint = error instanceof Error ? error.message : String(error);
      if (complaint !== this.#complaint)
        log.warn({ err: error }, "addresses from outside cannot be read; the last stay");
      this.#complaint = complaint;
    }
  }

  #warnOfNode(): void {
    const { nodeAddress, log } = this.#options;
    const unreachable = [...this.#known].filter(([, { host }]) => host === null && nodeAddress === undefined);
    for (const [listener] of unreachable) {
      log.warn({ listener }, `listener ${listener} is a port of the node, whose address MY_NODE_IP does not say`);
    }
  }
}
