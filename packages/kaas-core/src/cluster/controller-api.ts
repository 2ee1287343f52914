import type { AssignmentStore } from "../ports/assignment-store.js";
import type { Clock } from "../ports/clock.js";
import type { Election, LeaderWish, OngoingMove, WishedPartition, WishResult } from "../ports/leadership-wishes.js";
import type { Log } from "../ports/log.js";
import type { Assignment } from "./assignment.js";
import type { HeartbeatAnswer, HeartbeatReport } from "./heartbeat.js";

/** A topic of the volume, as the controller has to know it. */
export interface TopicPartitions {
  readonly topicId: string;
  readonly name: string;
  readonly partitionCount: number;
}

/** What a controller works with, and whom it tells. */
export interface ControllerOptions {
  /** Of the broker that this process is. */
  readonly nodeId: number;
  readonly store: AssignmentStore;
  /**
   * Whether a process of that broker uses the volume that is not this one, so that it started after this one. Asked before
   * a process that is not heard any more counts as lost: its successor may just not have found the controller yet.
   */
  readonly hasSuccessor: (name: string, incarnation: string) => Promise<boolean>;
  /** How many coordinator slots the cluster has, of each kind. */
  readonly slotCount: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after an assignment was published: to be sent to all brokers, and mirrored. */
  readonly onPublished: (assignment: Assignment) => void;
  /** Called when another controller has a higher epoch: the lease is to be given up. */
  readonly onFenced: () => void;
  readonly timing?: Partial<ControllerTiming> | undefined;
}

/** How patient a controller is, in milliseconds and moves; all of it has defaults. */
export interface ControllerTiming {
  /** A broker that is silent for longer is lost. */
  readonly heartbeatTimeoutMs: number;
  /** How long after a broker has come, or come back, leaders are moved to it. */
  readonly settleMs: number;
  /** How long news that move no leader are gathered before they are published. */
  readonly gatherMs: number;
  /** How many leaders that live are taken away at once. */
  readonly movesMax: number;
  /** A move that its new leader has not reported by then no longer keeps others waiting. */
  readonly moveTimeoutMs: number;
}

/** A broker as the controller sees it. */
export interface BrokerStatus {
  readonly nodeId: number;
  readonly name: string;
  readonly incarnation: string;
  readonly state: "leading" | "draining" | "unhealthy" | "lost";
  /** −1: not heard by this controller. */
  readonly silentMs: number;
}

/** How a controller is at the moment, for metrics and people. */
export interface ControllerStatus {
  /**
   * `idle`: without the lease. `claiming`: it takes an epoch. `waiting`: for brokers to be heard before anything is moved.
   * `active`.
   */
  readonly state: "idle" | "claiming" | "waiting" | "active";
  /** −1 while it has none. */
  readonly controllerEpoch: number;
  readonly version: number;
  /** Monotonic time since the newest assignment was published; −1: none was. */
  readonly publishedAgoMs: number;
  /** Partitions and slots that are on their way from one broker that lives to another. */
  readonly moving: number;
  /** Partitions and slots without a leader. */
  readonly leaderless: number;
  readonly brokers: readonly BrokerStatus[];
}

/**
 * Decides who should lead what, while its process holds the lease. Everything goes in by calls and comes out by the
 * store and the callbacks; calls are harmless in any order and any state.
 */
export interface ControllerApi {
  /** The lease was acquired. Decides nothing until an epoch is claimed and the brokers had time to be heard. */
  lead(leaseTransitions: number): void;
  /** The lease is lost, given up, or could not be renewed in time: from now on no leader is moved. */
  resign(): void;
  /** Every topic of the volume, at the start and whenever that changes. Nothing is decided before the first call. */
  setTopics(topics: readonly TopicPartitions[]): void;
  /** A broker's report; that of this very broker as well. */
  hear(report: HeartbeatReport): HeartbeatAnswer;
  /**
   * The connection to a process broke, and it did not come back: it counts as one that has been silent for too long, until
   * it is heard again. Said right after `lead`, it is said of whoever was the controller before.
   */
  gone(nodeId: number, incarnation: string): void;
  /** See `LeadershipWishes`; `NOT_CONTROLLER` where this process is none. */
  reassign(wishes: readonly LeaderWish[]): readonly WishResult[];
  /** See `LeadershipWishes`; one result each, `NOT_CONTROLLER` where this process is none. */
  elect(election: Election, partitions: readonly WishedPartition[]): readonly WishResult[];
  /** Leaders that are on their way from one broker to another; none where this process is no controller. */
  moves(): readonly OngoingMove[];
  readonly status: ControllerStatus;
  /** The newest assignment of this controller, or the one that it found. */
  readonly assignment: Assignment | undefined;
}
