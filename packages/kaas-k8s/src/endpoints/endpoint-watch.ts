import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import type { PodIdentity } from "../identity.js";
import { Reflector, type ReflectorHealth, type ReflectorTiming } from "../reflector/reflector.js";
import type { ServerPresence } from "../reflector/server-presence.js";
import { BrokerRegistry } from "./broker-registry.js";
import { ENDPOINT_SLICES, type EndpointSlice, slicesOf } from "./endpoint-slice.js";

export interface EndpointWatchOptions {
  readonly api: KubernetesApi;
  readonly self: PodIdentity;
  /** Name of the headless Service of the brokers. */
  readonly service: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timing?: Partial<ReflectorTiming>;
  readonly presence?: ServerPresence;
}

/** Keeps a {@link BrokerRegistry} up to date. */
export class EndpointWatch {
  readonly registry: BrokerRegistry;
  readonly #reflector: Reflector<EndpointSlice>;

  constructor({ api, self, service, clock, random, log, timing, presence }: EndpointWatchOptions) {
    this.registry = new BrokerRegistry(self);
    this.#reflector = new Reflector<EndpointSlice>({
      api,
      resource: ENDPOINT_SLICES,
      selection: { namespace: self.namespace, labelSelector: slicesOf(service) },
      sink: this.registry.sink,
      clock,
      random,
      log,
      presence,
      ...(timing === undefined ? {} : { timing }),
    });
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}
