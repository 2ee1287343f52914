import type { PodIdentity } from "../identity.js";
import { Reflector, type ReflectorHealth, type ReflectorSurroundings } from "../reflector/reflector.js";
import { BrokerRegistry } from "./broker-registry.js";
import { ENDPOINT_SLICES, type EndpointSlice, slicesOf } from "./endpoint-slice.js";

/** Whose EndpointSlices are followed, and by which of its pods. */
export interface EndpointWatchOptions extends ReflectorSurroundings {
  readonly self: PodIdentity;
  /** Name of the headless Service of the brokers. */
  readonly service: string;
}

/** Keeps a {@link BrokerRegistry} up to date. */
export class EndpointWatch {
  readonly registry: BrokerRegistry;
  readonly #reflector: Reflector<EndpointSlice>;

  constructor({ self, service, ...surroundings }: EndpointWatchOptions) {
    this.registry = new BrokerRegistry(self);
    this.#reflector = new Reflector({
      ...surroundings,
      resource: ENDPOINT_SLICES,
      selection: { namespace: self.namespace, labelSelector: slicesOf(service) },
      sink: this.registry.sink,
    });
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  /** Lists and watches from now on, for ever; a second call changes nothing. */
  start(): void {
    this.#reflector.start();
  }

  /** Resolves when nothing is asked any more. The registry keeps what it knew. */
  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}
