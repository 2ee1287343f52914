import { KaasError } from "../../errors/kaas-error.js";
import type { Timer } from "../../ports/clock.js";
import { type Assignment, NO_LEADER } from "../assignment.js";
import { type Plan, plan } from "../balancer/plan.js";
import type { PlanBroker } from "../balancer/broker-table.js";
import type { ControllerOptions, ControllerTiming, TopicPartitions } from "../controller-api.js";
import type { HeartbeatAnswer, HeartbeatReport } from "../heartbeat.js";
import { TICK_MS } from "./attended-time.js";
import { BrokerRegistry, type HeartbeatNews } from "./broker-registry.js";
import type { KnownBroker } from "./known-broker.js";
import { buildDecision, type Decision, isSameDecision } from "./build-assignment.js";
import { MovesUnderWay } from "./moves-under-way.js";
import { SettlingTime } from "./settling-time.js";
import { WishList } from "./wish-list.js";

const CLAIM_RETRY_MS = 5_000;
const PUBLISH_RETRY_MS = 500;
/** How long news that let further leaders move are gathered. */
const NEXT_MOVES_MS = 20;
/** The controller of before is most likely gone: it is not waited for as long as others are. */
const PREDECESSOR_WAIT_MS = 1_500;

/**
 * One time of holding the lease.
 *
 * ```
 * claiming ──▶ waiting ──▶ active
 *  an epoch    brokers     moves
 *              are heard   leaders
 * ```
 *
 * What is decided is derived anew from all that is known whenever something has changed, and published if that makes a
 * difference. Published is one at a time; what changes meanwhile is in the next one.
 */
export class Term {
  readonly registry: BrokerRegistry;
  readonly wishes: WishList = new WishList();
  readonly moves: MovesUnderWay = new MovesUnderWay();
  readonly #options: ControllerOptions;
  readonly #timing: ControllerTiming;
  readonly #settling: SettlingTime;
  #state: "claiming" | "waiting" | "active" = "claiming";
  #isOver = false;
  #epoch = -1;
  #version = 0;
  #assignment: Assignment | undefined;
  #publishedMs: number | undefined;
  #topics: readonly TopicPartitions[] | undefined;
  /** Node id of the controller before. */
  #predecessor = NO_LEADER;
  #waitingSinceMs = 0;
  /** How many leaders are still to be moved, once others have. */
  #postponed = 0;
  #isPublishing = false;
  #isStale = false;
  #isFailing = false;
  #ticker: Timer | undefined;
  #evaluation: { readonly atMs: number; readonly timer: Timer } | undefined;

  constructor(options: ControllerOptions, timing: ControllerTiming, topics: readonly TopicPartitions[] | undefined) {
    this.#options = options;
    this.#timing = timing;
    this.#topics = topics;
    this.registry = new BrokerRegistry(options.nodeId, timing.heartbeatTimeoutMs, options.clock);
    this.#settling = new SettlingTime(options.clock, timing.settleMs);
  }

  get state(): "claiming" | "waiting" | "active" {
    return this.#state;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get assignment(): Assignment | undefined {
    return this.#assignment;
  }

  get publishedMs(): number | undefined {
    return this.#publishedMs;
  }

  get topics(): readonly TopicPartitions[] | undefined {
    return this.#topics;
  }

  /** Claims an epoch and takes over what the controller before had decided. Never rejects. */
  async begin(leaseTransitions: number): Promise<void> {
    const { store, log, clock } = this.#options;
    this.#tick();
    while (!this.#isOver) {
      try {
        if (this.#epoch < 0) this.#epoch = await store.claimEpoch(leaseTransitions);
        const newest = await store.newest();
        if (!this.#isOver) this.#takeOver(newest);
        return;
      } catch (error) {
        log.error({ err: error }, "this controller cannot take over yet; it tries again");
        await new Promise<void>((resolve) => clock.schedule(CLAIM_RETRY_MS, resolve));
      }
    }
  }

  end(): void {
    this.#isOver = true;
    this.#ticker?.cancel();
    this.#evaluation?.timer.cancel();
  }

  setTopics(topics: readonly TopicPartitions[]): void {
    this.#topics = topics;
    this.evaluateIn(NEXT_MOVES_MS);
  }

  hear(report: HeartbeatReport): HeartbeatAnswer {
    const { verdict, news } = this.registry.hear(report);
    this.#react(news, report.nodeId);
    const version = this.#publishedMs === undefined ? -1 : (this.#assignment?.version ?? -1);
    return { verdict, controllerEpoch: this.#epoch, version };
  }

  /** Decides anew, at the latest so soon. */
  evaluateIn(delayMs: number): void {
    const { clock } = this.#options;
    const atMs = clock.monotonic() + delayMs;
    if (this.#isOver || (this.#evaluation !== undefined && this.#evaluation.atMs <= atMs)) return;
    this.#evaluation?.timer.cancel();
    const timer = clock.schedule(delayMs, () => {
      this.#evaluation = undefined;
      this.#evaluate();
    });
    this.#evaluation = { atMs, timer };
  }

  #takeOver(newest: Assignment | undefined): void {
    const { log } = this.#options;
    const adopted = newest === undefined ? "none" : `${newest.controllerEpoch}-${newest.version}`;
    log.info({ controllerEpoch: this.#epoch, adopted }, "this broker is the controller");
    this.#assignment = newest;
    this.#predecessor = newest?.controllerId ?? NO_LEADER;
    this.registry.adopt(newest?.brokers ?? []);
    this.wishes.adopt(newest?.topics ?? []);
    this.#waitingSinceMs = this.registry.nowMs;
    this.#state = "waiting";
    this.evaluateIn(0);
  }

  #react(news: HeartbeatNews, nodeId: number): void {
    if (news === "none") return;
    const { log } = this.#options;
    if (news === "arrived") {
      log.info({ broker: nodeId }, "a broker has come that can lead");
      this.#settling.begin();
    }
    if (news === "leaving") log.info({ broker: nodeId }, "a broker leaves: it drains, or is not well");
    if (news === "leaving" || this.#state === "claiming") this.evaluateIn(0);
    else this.evaluateIn(this.#postponed > 0 ? NEXT_MOVES_MS : this.#timing.gatherMs);
  }

  /** What happens because time passes. */
  #tick(): void {
    const { clock } = this.#options;
    this.#ticker = clock.schedule(TICK_MS, () => this.#tick());
    if (this.#state === "waiting") this.#hurryPredecessor();
    for (const broker of this.registry.tick()) void this.#judge(broker);
    if (this.#settling.hasEnded()) this.evaluateIn(0);
    this.#endWaiting();
    if (this.#postponed > 0 && !this.#isFailing && this.#freeMoves() > 0) this.evaluateIn(NEXT_MOVES_MS);
  }

  /** Who was silent for too long is lost, unless another process has followed it, which nobody has heard yet. */
  async #judge(broker: KnownBroker): Promise<void> {
    const { log, hasSuccessor } = this.#options;
    const { nodeId, name, incarnation } = broker.description;
    broker.isInDoubt = true;
    const isFollowed = await hasSuccessor(name, incarnation).catch((error: unknown) => {
      log.warn({ broker: nodeId, err: error }, "whether a silent broker has started again cannot be found out");
      return false;
    });
    if (this.#isOver) return;
    if (this.registry.judge(broker, isFollowed)) {
      log.warn({ broker: nodeId, incarnation }, "a broker is lost");
      this.evaluateIn(0);
    } else if (isFollowed) log.info({ broker: nodeId, incarnation }, "a broker has started again, and is waited for");
    this.#endWaiting();
  }

  #hurryPredecessor(): void {
    if (this.registry.nowMs - this.#waitingSinceMs < PREDECESSOR_WAIT_MS) return;
    const predecessor = this.registry.get(this.#predecessor);
    if (predecessor === undefined || predecessor.isHeard || predecessor.isLost) return;
    this.registry.gone(this.#predecessor, predecessor.description.incarnation);
  }

  #endWaiting(): void {
    if (this.#state !== "waiting" || !this.#hasWaited()) return;
    this.#state = "active";
    this.#options.log.info({ controllerEpoch: this.#epoch }, "brokers have had their time to be heard");
    this.evaluateIn(0);
  }

  #hasWaited(): boolean {
    const { nodeId } = this.#options;
    if (this.#topics === undefined || this.registry.get(nodeId)?.isHeard !== true) return false;
    if (this.registry.nowMs - this.#waitingSinceMs >= this.#timing.heartbeatTimeoutMs) return true;
    if (this.#assignment === undefined) return !this.#settling.isSettling;
    return this.registry.all().every(({ isHeard, isLost }) => isHeard || isLost);
  }

  #evaluate(): void {
    if (this.#isOver || this.#state === "claiming") return;
    if (this.#isPublishing) {
      this.#isStale = true;
      return;
    }
    const decision = this.#state === "waiting" ? this.#keep() : this.#decide();
    if (decision === undefined) return;
    const isOwn = this.#publishedMs !== undefined;
    if (isOwn && isSameDecision(decision, this.#assignment)) return;
    void this.#publish(decision);
  }

  /** What was found, in this controller's name: nothing moves before brokers had their time to be heard. */
  #keep(): Decision | undefined {
    const found = this.#assignment;
    if (found === undefined) return undefined;
    const topics = found.topics.map(({ topicId, name, leaders }) => ({
      topicId,
      name,
      partitionCount: leaders.length,
    }));
    const placed = { topics: found.topics.map(({ leaders }) => leaders), slots: found.slots };
    return this.#build(topics, placed);
  }

  #decide(): Decision | undefined {
    const topics = this.#topics;
    if (topics === undefined) return undefined;
    const isThere = new Set(topics.map(({ topicId }) => topicId));
    this.wishes.retain((topicId) => isThere.has(topicId));
    this.registry.forget((nodeId) => this.#leads(nodeId));
    const made = plan(this.#assignment, {
      brokers: this.#planBrokers(),
      topics: topics.map((topic) => ({ ...topic, wishes: this.wishes.of(topic.topicId) })),
      slotCount: this.#options.slotCount,
      movesMax: this.#freeMoves(),
      evensOut: !this.#settling.isSettling,
    });
    this.#postponed = made.postponed;
    return this.#build(topics, made);
  }

  #planBrokers(): PlanBroker[] {
    return this.registry.all().flatMap((broker): PlanBroker[] => {
      const { nodeId, rack } = broker.description;
      const state = this.registry.stateOf(broker);
      if (state === "leading") return [{ nodeId, rack, role: "leads" }];
      return state === "draining" ? [{ nodeId, rack, role: "drains" }] : [];
    });
  }

  #freeMoves(): number {
    const nowMs = this.registry.nowMs;
    const leaders = new Map(this.#assignment?.topics.map((topic) => [topic.topicId, topic.leaders]));
    this.moves.settle(({ topicId, partition, to, sinceMs }) => {
      if (nowMs - sinceMs > this.#timing.moveTimeoutMs || leaders.get(topicId)?.[partition] !== to) return true;
      const broker = this.registry.get(to);
      return broker === undefined || broker.isLost || broker.leaderEpoch(topicId, partition) !== undefined;
    });
    return Math.max(0, this.#timing.movesMax - this.moves.count);
  }

  #build(topics: readonly TopicPartitions[], placed: Pick<Plan, "topics" | "slots">): Decision {
    const { nodeId } = this.#options;
    return buildDecision(nodeId, this.#assignment, topics, placed, this.registry, this.wishes);
  }

  #leads(nodeId: number): boolean {
    const { topics = [], slots } = this.#assignment ?? {};
    const lists = [...topics.map(({ leaders }) => leaders), slots?.groups ?? [], slots?.transactions ?? []];
    return lists.some((leaders) => leaders.includes(nodeId));
  }

  async #publish(decision: Decision): Promise<void> {
    const { store, clock, log, onPublished, onFenced } = this.#options;
    this.#isPublishing = true;
    this.#isStale = false;
    this.#version++;
    const number = { controllerEpoch: this.#epoch, version: this.#version };
    try {
      const assignment = { ...number, createdMs: clock.now(), ...decision };
      await store.publish(assignment);
      this.#isFailing = false;
      if (!this.#isOver) this.#published(assignment);
    } catch (error) {
      if (this.#isOver) return;
      this.#isFailing = true;
      log.warn({ ...number, err: error }, "an assignment could not be published");
      if (error instanceof KaasError && error.code === "KAAS_FENCED") {
        this.end();
        onFenced();
      } else this.evaluateIn(PUBLISH_RETRY_MS);
      return;
    } finally {
      this.#isPublishing = false;
    }
    if (this.#isOver || this.#assignment === undefined) return;
    onPublished(this.#assignment);
    if (this.#isStale) this.evaluateIn(0);
  }

  #published(assignment: Assignment): void {
    const { nowMs } = this.registry;
    const isAlive = (nodeId: number): boolean => this.registry.get(nodeId)?.isLost === false;
    this.moves.note(this.#assignment, assignment, isAlive, nowMs);
    this.#assignment = assignment;
    this.#publishedMs = this.#options.clock.monotonic();
    const { controllerEpoch, version } = assignment;
    this.#options.log.debug({ controllerEpoch, version }, "an assignment was published");
  }
}

/** Whether a broker leads a partition, as its controller sees it. */
export function leaderOf(assignment: Assignment | undefined, topicId: string, partition: number): number {
  return assignment?.topics.find((topic) => topic.topicId === topicId)?.leaders[partition] ?? NO_LEADER;
}
