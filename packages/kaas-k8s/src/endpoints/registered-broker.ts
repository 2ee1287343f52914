/** A broker's pod, as the EndpointSlices of the headless Service have it. */
export interface RegisteredBroker {
  /** The pod's name, such as `kaas-0`. */
  readonly name: string;
  /** Its number: Kafka's `node.id`. */
  readonly ordinal: number;
  /** `fenced`: there is such a pod, and it is not ready, or is ending. */
  readonly state: "serving" | "fenced";
  /** IP addresses; none before the pod has one. */
  readonly addresses: readonly string[];
  /** Where the node is (`topology.kubernetes.io/zone`): Kafka's rack. */
  readonly zone: string | undefined;
  readonly nodeName: string | undefined;
  /** Of the pod: another one after it was replaced. */
  readonly podUid: string | undefined;
}

/** Told about brokers. Calls must not throw. */
export interface BrokerRegistryListener {
  /** A broker is there, or something about it is different. */
  brokerChanged(broker: RegisteredBroker): void;
  /** Its pod is gone; the last that was known. */
  brokerGone(broker: RegisteredBroker): void;
}
