/** Where clients reach a broker by one listener. */
export interface AdvertisedListener {
  /** Such as `PLAINTEXT`. Brokers of a cluster name their listeners alike. */
  readonly listenerName: string;
  readonly host: string;
  readonly port: number;
}

/** A broker of the cluster. */
export interface ClusterBroker {
  /** Kafka's `node.id`: the pod's ordinal in a cluster. */
  readonly nodeId: number;
  /** The pod's name, such as `kaas-0`: the broker's name on the volume. */
  readonly name: string;
  /** Of the process that runs under the name: another one after each start. */
  readonly incarnation: string;
  readonly rack: string | null;
  readonly listeners: readonly AdvertisedListener[];
  /** Known, but not to be led to: it drains, or is not heard of. Clients are shown only those that are not fenced. */
  readonly isFenced: boolean;
  /**
   * Whether the controller hears of it. One that does not lead any more but lives, such as one that drains, is given
   * time to hand over; from any other is taken over at once.
   */
  readonly isAlive: boolean;
}

/** What a broker says of itself before its listeners are bound. */
export type SelfDescription = Omit<ClusterBroker, "listeners" | "isFenced" | "isAlive">;

/** Who leads a partition. */
export interface PartitionLeadership {
  /** −1: nobody at present. */
  readonly leaderId: number;
  /** That the leader has claimed, as it reported it; −1 while it has not. */
  readonly leaderEpoch: number;
}

/** What a coordinator slot is for. */
export type SlotKind = "groups" | "transactions";

/**
 * Which brokers there are and who leads what, as far as this broker knows. Answers from memory, at once, and never
 * decides what may be acknowledged: the volume does.
 */
export interface ClusterView {
  /** This broker. */
  readonly nodeId: number;
  /** −1 while none is known. */
  readonly controllerId: number;
  /** All that are known, fenced ones too, by node id; this broker is always among them. */
  brokers(): readonly ClusterBroker[];
  /** Undefined for a node id that no broker is known to have. */
  broker(nodeId: number): ClusterBroker | undefined;
  /** The topics that the assignment names; none where there is no assignment. */
  topics(): Iterable<{ readonly topicId: string; readonly name: string }>;
  /** Undefined for a partition that no assignment names yet. */
  leadership(topicId: string, partition: number): PartitionLeadership | undefined;
  /** Node id of a slot's coordinator; −1 while there is none. */
  coordinator(kind: SlotKind, slot: number): number;
  /** Takes how clients reach this broker, which is known once its listeners are bound. */
  advertise(listeners: readonly AdvertisedListener[]): void;
  /** Called after brokers, leaders or coordinators have changed. Returns a function that takes it back. */
  onChange(callback: () => void): () => void;
}
