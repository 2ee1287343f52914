import type {
  AdvertisedListener,
  ClusterBroker,
  ClusterView,
  PartitionLeadership,
  SelfDescription,
} from "../ports/cluster-view.js";
import { ViewListeners } from "./view-listeners.js";

/** A cluster of one: this broker leads and coordinates everything. */
export class SoleBroker implements ClusterView {
  readonly nodeId: number;
  readonly controllerId: number;
  readonly #leadership: PartitionLeadership;
  readonly #listeners = new ViewListeners();
  #brokers: readonly ClusterBroker[];

  constructor(self: SelfDescription) {
    this.nodeId = self.nodeId;
    this.controllerId = self.nodeId;
    this.#leadership = { leaderId: self.nodeId, leaderEpoch: -1 };
    this.#brokers = [{ ...self, listeners: [], isFenced: false, isAlive: true }];
  }

  brokers(): readonly ClusterBroker[] {
    return this.#brokers;
  }

  broker(nodeId: number): ClusterBroker | undefined {
    return this.#brokers.find((broker) => broker.nodeId === nodeId);
  }

  topics(): [] {
    return [];
  }

  leadership(): PartitionLeadership {
    return this.#leadership;
  }

  coordinator(): number {
    return this.nodeId;
  }

  advertise(listeners: readonly AdvertisedListener[]): void {
    this.#brokers = this.#brokers.map((broker) => ({ ...broker, listeners }));
    this.#listeners.notify();
  }

  onChange(callback: () => void): () => void {
    return this.#listeners.add(callback);
  }
}
