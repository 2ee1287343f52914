import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { Clock, Timer } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { PartitionId, PartitionLog, PartitionLogs } from "../ports/partition-logs.js";
import type { Gate } from "./gate.js";
import type { Topic } from "./topic-table.js";

/** How long to wait before a partition that could not be opened is tried again. */
const REOPEN_DELAY_MS = 1_000;

/** What all partitions of a broker share. */
export interface PartitionLeadEnvironment {
  readonly logs: PartitionLogs;
  readonly clock: Clock;
  readonly log: Log;
  /** How many logs are opened at once. */
  readonly openings: Gate;
  /** How many are released at once; apart, for an opening may wait for another broker's release. */
  readonly releases: Gate;
  /** Called when a partition is to be led, serves, or does so no longer. */
  readonly changed: () => void;
}

/**
 * One partition on this broker: whether it is to be led here, and what is being done about that. Wishes may change at
 * any time; one step is done at a time, and steps follow until what is and what is wanted agree.
 *
 * ```
 *               take                    opened
 *   elsewhere ────────▶ opening ──────────────────────▶ led
 *       ▲               ▲  │ failed      deposed         │
 *       │ released      │  ▼               ┌─────────────┤ leave
 *       └── releasing   waiting ◀──────────┘             │
 *               ▲                                        │
 *               └────────────────────────────────────────┘
 * ```
 *
 * Requests find the log in the topic's partitions while it is led. From {@link leave} on they do not, so that clients
 * look elsewhere while the log still answers what it has accepted.
 */
export class PartitionLead {
  readonly #topic: Topic;
  readonly #partition: number;
  readonly #environment: PartitionLeadEnvironment;
  #isWanted = false;
  #isAbandoned = false;
  #log: PartitionLog | undefined;
  /** The epoch of the log that was told of. One that is recovered, or moves to another log directory, has a new one. */
  #toldEpoch = -1;
  readonly #follower = { logAdvanced: (log: PartitionLog): void => this.#noteEpoch(log) };
  /** Another broker has taken what is open here. */
  #isDeposed = false;
  #isReleasing = false;
  /** Ends the wait of an opening for the leader before. */
  #opening: AbortController | undefined;
  #retry: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(topic: Topic, partition: number, environment: PartitionLeadEnvironment) {
    this.#topic = topic;
    this.#partition = partition;
    this.#environment = environment;
  }

  /** Whether this broker is to lead the partition. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** The log while it is led here and serves. */
  get serving(): PartitionLog | undefined {
    return this.#isWanted && this.#log?.health === ErrorCode.NONE ? this.#log : undefined;
  }

  /** Whether something of it is open that is not to be led here. */
  get isReleasing(): boolean {
    return !this.#isWanted && this.#log !== undefined;
  }

  /** Resolves when there is nothing to be done at the moment; what has failed is tried again later. */
  settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  take(): void {
    if (this.#isWanted || this.#isAbandoned) return;
    this.#isWanted = true;
    this.#show(this.#isReleasing || this.#isDeposed ? undefined : this.#log);
    this.#advance();
  }

  /** Requests no longer find the log from the call on. */
  leave(): void {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.#stop();
    this.#advance();
  }

  /** The topic is gone, and its files with it. Resolves when nothing of the partition is open. */
  async abandon(): Promise<void> {
    this.#isWanted = false;
    this.#isAbandoned = true;
    this.#stop();
    await this.settled();
    this.#log = undefined;
    await this.#environment.logs.abandon(this.#id);
  }

  /** A log that another broker has taken is none any more. It is claimed again if it still is to be led here. */
  reviveDeposed(): void {
    if (!this.#isWanted || this.#running !== undefined) return;
    if (this.#log?.health !== ErrorCode.NOT_LEADER_OR_FOLLOWER) return;
    this.#isDeposed = true;
    this.#show(undefined);
    this.#advance();
  }

  /** Opens nothing any more. What is open stays open, for its owner to close. */
  close(): void {
    this.#isAbandoned = true;
    this.#isWanted = false;
    this.#opening?.abort();
    this.#retry?.cancel();
  }

  get #id(): PartitionId {
    return { topic: this.#topic.name, topicId: this.#topic.id, partition: this.#partition };
  }

  #stop(): void {
    this.#show(undefined);
    this.#opening?.abort();
    this.#retry?.cancel();
    this.#retry = undefined;
  }

  #show(log: PartitionLog | undefined): void {
    this.#topic.partitions[this.#partition] = log;
    this.#topic.failedPartitions.delete(this.#partition);
    this.#environment.changed();
  }

  #advance(): void {
    if (!this.#isDone) this.#running ??= this.#run();
  }

  /** Nothing to do, or not now. */
  get #isDone(): boolean {
    if (this.#isAbandoned || this.#retry !== undefined) return true;
    return !this.#isDeposed && this.#isWanted === (this.#log !== undefined);
  }

  async #run(): Promise<void> {
    const { openings, releases } = this.#environment;
    while (!this.#isDone) {
      if (this.#isWanted && !this.#isDeposed) await openings.run(() => this.#open());
      else await releases.run(() => this.#release());
    }
    // At once, so that whoever changes his mind from here on begins anew.
    this.#running = undefined;
  }

  /** A failure is logged and tried again later; the partition's neighbours do not wait for it. */
  async #open(): Promise<void> {
    if (!this.#isWanted) return; // any more, when its turn came
    const opening = new AbortController();
    const { config } = this.#topic;
    this.#opening = opening;
    try {
      this.#log = await this.#environment.logs.open(this.#id, config, opening.signal);
      if (this.#topic.config !== config) this.#log.configure(this.#topic.config);
      this.#toldEpoch = this.#log.leaderEpoch;
      this.#log.addListener(this.#follower);
      if (this.#isWanted) this.#show(this.#log);
    } catch (error) {
      if (this.#isWanted && !opening.signal.aborted) this.#openFailed(error);
    } finally {
      this.#opening = undefined;
    }
  }

  #openFailed(error: unknown): void {
    const fields = { topic: this.#topic.name, partition: this.#partition, err: error };
    const { log } = this.#environment;
    if (error instanceof KaasError && error.code === "KAAS_FENCED") {
      log.warn(fields, "another broker has claimed a partition as well; it is tried again");
    } else {
      log.error(fields, "a partition could not be opened; it is tried again");
      this.#topic.failedPartitions.add(this.#partition);
    }
    this.#retryLater();
  }

  #noteEpoch({ leaderEpoch }: PartitionLog): void {
    if (leaderEpoch === this.#toldEpoch) return;
    this.#toldEpoch = leaderEpoch;
    this.#environment.changed();
  }

  #retryLater(): void {
    this.#retry = this.#environment.clock.schedule(REOPEN_DELAY_MS, () => {
      this.#retry = undefined;
      this.#advance();
    });
  }

  async #release(): Promise<void> {
    if (this.#isWanted && !this.#isDeposed) return; // again, when its turn came
    const { logs, log } = this.#environment;
    this.#isReleasing = true;
    this.#log?.removeListener(this.#follower);
    try {
      await logs.release(this.#id);
    } catch (error) {
      const fields = { topic: this.#topic.name, partition: this.#partition, err: error };
      log.warn(fields, "a partition could not be handed over cleanly; its next leader recovers it");
    }
    this.#isReleasing = false;
    this.#log = undefined;
    this.#environment.changed();
    if (this.#isDeposed && this.#isWanted) this.#retryLater();
    this.#isDeposed = false;
  }
}
