import type { ClusterBroker, Clock, Log, Random } from "@kaas/core";
import { type BrokerRegistry, type KubernetesApi, NodeLabel, type ServerPresence, ZONE_LABEL } from "@kaas/k8s";
import type { ClusterControlSettings } from "./control-settings.js";

export interface OwnRackOptions {
  readonly settings: ClusterControlSettings;
  readonly api: KubernetesApi;
  /** Undefined where the headless Service is not known. */
  readonly endpoints: BrokerRegistry | undefined;
  /** This broker, as the newest assignment has it. */
  readonly published: () => ClusterBroker | undefined;
  readonly changed: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly presence: ServerPresence;
}

/**
 * Where this broker stands: what its configuration says; else a label of its node, which the EndpointSlices repeat if it is
 * the zone. Until Kubernetes has said it, the rack that the cluster knew last: an API server that is away when a broker starts
 * is no reason to be nowhere.
 */
export class OwnRack {
  readonly #options: OwnRackOptions;
  readonly #label: NodeLabel | undefined;
  readonly #isByEndpoint: boolean;

  constructor(options: OwnRackOptions) {
    this.#options = options;
    const { settings, endpoints, api, changed, clock, random, log, presence } = options;
    const { rack, rackTopologyKey: key, nodeName } = settings;
    const isWanted = rack === null && key !== undefined;
    this.#isByEndpoint = isWanted && key === ZONE_LABEL && endpoints !== undefined;
    if (!isWanted || this.#isByEndpoint || nodeName === undefined) return;
    this.#label = new NodeLabel({ api, nodeName, key, known: changed, clock, random, log, presence });
  }

  get value(): string | null {
    const { settings, published } = this.#options;
    if (settings.rack !== null || settings.rackTopologyKey === undefined) return settings.rack;
    const told = this.#isByEndpoint ? this.#zone() : this.#label?.value;
    return told === undefined ? (published()?.rack ?? null) : told;
  }

  start(): void {
    this.#label?.start();
  }

  async stop(): Promise<void> {
    await this.#label?.stop();
  }

  /** Of this very pod, once it is listed: one of the name that was here before may have been elsewhere. */
  #zone(): string | null | undefined {
    const { endpoints, settings } = this.#options;
    const self = endpoints?.broker(settings.nodeId);
    const isListed = self !== undefined && self.addresses.length > 0;
    const isOther = settings.podUid !== undefined && self?.podUid !== settings.podUid;
    return isListed && !isOther ? (self.zone ?? null) : undefined;
  }
}
