import { ErrorCode } from "../../errors/error-codes.js";
import type { Election, LeaderWish, OngoingMove, WishedPartition, WishResult } from "../../ports/leadership-wishes.js";
import type { Assignment } from "../assignment.js";
import type {
  ControllerApi,
  ControllerOptions,
  ControllerStatus,
  ControllerTiming,
  TopicPartitions,
} from "../controller-api.js";
import { HEARTBEAT_TIMEOUT_MS, type HeartbeatAnswer, type HeartbeatReport } from "../heartbeat.js";
import { countLeaderless } from "./build-assignment.js";
import { elect, movesOf, NOT_CONTROLLER, takeWish } from "./leadership-requests.js";
import { Term } from "./term.js";

const DEFAULT_TIMING: ControllerTiming = {
  heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
  settleMs: 1_500,
  gatherMs: 200,
  movesMax: 50,
  moveTimeoutMs: 15_000,
};

/** See {@link ControllerApi}. Each time of holding the lease begins with nothing but what is on the volume. */
export class Controller implements ControllerApi {
  readonly #options: ControllerOptions;
  readonly #timing: ControllerTiming;
  #term: Term | undefined;
  #topics: readonly TopicPartitions[] | undefined;

  constructor(options: ControllerOptions) {
    this.#options = {
      ...options,
      onFenced: () => {
        this.#term = undefined;
        options.onFenced();
      },
    };
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
  }

  lead(leaseTransitions: number): void {
    if (this.#term !== undefined) return;
    this.#term = new Term(this.#options, this.#timing, this.#topics);
    void this.#term.begin(leaseTransitions);
  }

  resign(): void {
    if (this.#term === undefined) return;
    this.#options.log.info({ controllerEpoch: this.#term.epoch }, "this broker is no longer the controller");
    this.#term.end();
    this.#term = undefined;
  }

  setTopics(topics: readonly TopicPartitions[]): void {
    this.#topics = topics;
    this.#term?.setTopics(topics);
  }

  hear(report: HeartbeatReport): HeartbeatAnswer {
    return this.#term?.hear(report) ?? { verdict: "not-controller", controllerEpoch: -1, version: -1 };
  }

  gone(nodeId: number, incarnation: string): void {
    this.#term?.registry.gone(nodeId, incarnation);
  }

  reassign(wishes: readonly LeaderWish[]): readonly WishResult[] {
    const term = this.#term;
    if (term === undefined) return wishes.map(() => NOT_CONTROLLER);
    const results = wishes.map((wish) => takeWish(term, wish));
    if (results.some(({ errorCode }) => errorCode === ErrorCode.NONE)) term.evaluateIn(0);
    return results;
  }

  elect(election: Election, partitions: readonly WishedPartition[]): readonly WishResult[] {
    const term = this.#term;
    if (term === undefined) return partitions.map(() => NOT_CONTROLLER);
    term.evaluateIn(0);
    return partitions.map((partition) => elect(term, election, partition));
  }

  moves(): readonly OngoingMove[] {
    return this.#term === undefined ? [] : movesOf(this.#term);
  }

  get assignment(): Assignment | undefined {
    return this.#term?.assignment;
  }

  get status(): ControllerStatus {
    const term = this.#term;
    if (term === undefined) return IDLE;
    const { assignment, publishedMs } = term;
    return {
      state: term.state,
      controllerEpoch: term.epoch,
      version: publishedMs === undefined ? -1 : (assignment?.version ?? -1),
      publishedAgoMs: publishedMs === undefined ? -1 : this.#options.clock.monotonic() - publishedMs,
      moving: term.moves.count,
      leaderless: assignment === undefined ? 0 : countLeaderless(assignment),
      brokers: term.registry.statuses(),
    };
  }
}

const IDLE: ControllerStatus = {
  state: "idle",
  controllerEpoch: -1,
  version: -1,
  publishedAgoMs: -1,
  moving: 0,
  leaderless: 0,
  brokers: [],
};
