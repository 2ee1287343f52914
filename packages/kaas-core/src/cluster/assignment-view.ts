import type {
  AdvertisedListener,
  ClusterBroker,
  ClusterView,
  PartitionLeadership,
  SelfDescription,
  SlotKind,
} from "../ports/cluster-view.js";
import { type Assignment, NO_LEADER, supersedes } from "./assignment.js";
import { ViewListeners } from "./view-listeners.js";

/** Leaders of a topic's partitions, by partition. */
type TopicLeaders = readonly PartitionLeadership[];

/**
 * The cluster as the newest assignment describes it, which only ever goes forward. What requests look up is laid out
 * when an assignment is adopted.
 *
 * Of this broker the process itself knows best: how it is reached, and that it lives. An assignment that speaks of an
 * earlier process of the same name says what this one leads, but not that it is fenced.
 */
export class AssignmentView implements ClusterView {
  readonly nodeId: number;
  readonly #self: SelfDescription;
  readonly #listeners = new ViewListeners();
  #advertised: readonly AdvertisedListener[] = [];
  #assignment: Assignment | undefined;
  #brokers: readonly ClusterBroker[] = [];
  #brokersById: ReadonlyMap<number, ClusterBroker> = new Map();
  #leaders: ReadonlyMap<string, TopicLeaders> = new Map();

  constructor(self: SelfDescription) {
    this.nodeId = self.nodeId;
    this.#self = self;
    this.#describeBrokers();
  }

  /** What is in force; undefined while none was adopted. */
  get assignment(): Assignment | undefined {
    return this.#assignment;
  }

  get controllerId(): number {
    return this.#assignment?.controllerId ?? NO_LEADER;
  }

  brokers(): readonly ClusterBroker[] {
    return this.#brokers;
  }

  broker(nodeId: number): ClusterBroker | undefined {
    return this.#brokersById.get(nodeId);
  }

  topics(): Assignment["topics"] {
    return this.#assignment?.topics ?? [];
  }

  leadership(topicId: string, partition: number): PartitionLeadership | undefined {
    return this.#leaders.get(topicId)?.[partition];
  }

  /**
   * Whether a process lives, as far as the controller hears: what {@link ClusterBroker.isAlive} says of this very
   * incarnation.
   */
  isAlive(incarnation: string): boolean {
    return this.#brokers.some((broker) => broker.incarnation === incarnation && broker.isAlive);
  }

  coordinator(kind: SlotKind, slot: number): number {
    return this.#assignment?.slots[kind][slot] ?? NO_LEADER;
  }

  onChange(callback: () => void): () => void {
    return this.#listeners.add(callback);
  }

  advertise(listeners: readonly AdvertisedListener[]): void {
    this.#advertised = listeners;
    this.#describeBrokers();
    this.#listeners.notify();
  }

  /** Takes an assignment if it is newer than the one in force; whether it was. */
  adopt(assignment: Assignment): boolean {
    if (!supersedes(assignment, this.#assignment)) return false;
    this.#assignment = assignment;
    this.#leaders = new Map(assignment.topics.map((topic) => [topic.topicId, leadersOf(topic)]));
    this.#describeBrokers();
    this.#listeners.notify();
    return true;
  }

  #describeBrokers(): void {
    const known = this.#assignment?.brokers ?? [];
    const others = known.filter(({ nodeId }) => nodeId !== this.nodeId);
    this.#brokers = [...others, this.#describeSelf(known)].sort((one, other) => one.nodeId - other.nodeId);
    this.#brokersById = new Map(this.#brokers.map((broker) => [broker.nodeId, broker]));
  }

  #describeSelf(known: readonly ClusterBroker[]): ClusterBroker {
    const { incarnation } = this.#self;
    const isFenced = known.some((broker) => broker.incarnation === incarnation && broker.isFenced);
    return { ...this.#self, listeners: this.#advertised, isFenced, isAlive: true };
  }
}

function leadersOf({ leaders, leaderEpochs }: Assignment["topics"][number]): TopicLeaders {
  return leaders.map((leaderId, partition) => ({ leaderId, leaderEpoch: leaderEpochs[partition] ?? -1 }));
}
