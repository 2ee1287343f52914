import {
  type Assignment,
  type Clock,
  type HeartbeatAnswer,
  type HeartbeatReport,
  HEARTBEAT_INTERVAL_MS,
  type Log,
  type Random,
  type Timer,
} from "@kaas/core";
import type { ConnectPeer, Peer } from "./peer-client.js";

/** A controller that does not answer for so long is connected to anew. */
const ANSWER_TIMEOUT_MS = 2_000;
/** Between attempts to reach a controller. */
const RECONNECT_MS = { first: 50, longest: 1_000 } as const;

/** What keeps a broker from being counted, for who can do something about it. */
const REFUSALS: Readonly<Partial<Record<HeartbeatAnswer["verdict"], string>>> = {
  superseded: "the controller counts another process of this broker's name, which was started later",
  "node-id-taken": "the controller counts a broker of another name that has this one's node id: the number of its pod",
};

/** A controller that has not answered for so long is complained of, and again after the second. */
const UNHEARD = { firstMs: 10_000, againMs: 60_000 } as const;

/** Where reports go. */
export interface ControllerTarget {
  /** `host:port`; undefined: it is this very process. */
  readonly address: string | undefined;
  /** Which process that is. */
  readonly key: string;
}

/** A connection that has worked, and does no more. */
export interface BrokenConnection {
  /** Of the process at the other end. */
  readonly key: string;
  readonly forMs: number;
}

export interface HeartbeatSenderOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly connect: ConnectPeer;
  /** Who the controller is, as far as is known; undefined where nobody knows. Asked before every connection. */
  readonly target: () => Promise<ControllerTarget | undefined>;
  /** Hands a report to the controller in this process. */
  readonly hear: (report: HeartbeatReport) => HeartbeatAnswer;
  /** Makes the next report; `anew`: one that says everything. */
  readonly nextReport: (anew: boolean) => HeartbeatReport;
  readonly assigned: (assignment: Assignment) => void;
}

/**
 * Reports to whoever is the controller: often, at once when there is news, and everything to one that is new. Finds the
 * controller again when it is another, and never gives up.
 */
export class HeartbeatSender {
  readonly #options: HeartbeatSenderOptions;
  #peer: Peer | undefined;
  #target: ControllerTarget | undefined;
  #timer: Timer | undefined;
  #isConnecting = false;
  #isStopped = false;
  #isWholeNext = true;
  #reconnectMs: number = RECONNECT_MS.first;
  #connectAfterMs = 0;
  #answeredMs: number | undefined;
  #connectedMs = 0;
  /** The controller that answered last, and since when its connection is broken; undefined while it is not. */
  #answering: { readonly key: string; readonly brokenMs: number | undefined } | undefined;
  #verdict: HeartbeatAnswer["verdict"] | undefined;
  #startedMs = 0;
  #complainedMs: number | undefined;

  constructor(options: HeartbeatSenderOptions) {
    this.#options = options;
  }

  /** Whether the controller has answered lately. */
  get isHeard(): boolean {
    const { clock } = this.#options;
    return this.#answeredMs !== undefined && clock.monotonic() - this.#answeredMs < ANSWER_TIMEOUT_MS;
  }

  /**
   * The controller that answered last, if its connection was broken by the other end, or on the way, and did not come back
   * since, though it is tried again and again. One that only says nothing is none: that is no sign of an end.
   */
  get broken(): BrokenConnection | undefined {
    const { key, brokenMs } = this.#answering ?? {};
    if (key === undefined || brokenMs === undefined) return undefined;
    return { key, forMs: this.#options.clock.monotonic() - brokenMs };
  }

  /** What the controller said last. */
  get verdict(): HeartbeatAnswer["verdict"] | undefined {
    return this.#verdict;
  }

  /** The connection to the controller, for questions; undefined where there is none. */
  get peer(): Peer | undefined {
    return this.#peer;
  }

  start(): void {
    this.#startedMs = this.#options.clock.monotonic();
    this.#beat();
  }

  /** Something is to be said now. */
  hurry(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#beat();
  }

  /** The controller may be another one. */
  retarget(): void {
    this.#connectAfterMs = 0;
    this.hurry();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#peer?.close(); // no farewell: it does not go on elsewhere
    this.#disconnect();
  }

  #beat(): void {
    const { clock } = this.#options;
    this.#timer = clock.schedule(HEARTBEAT_INTERVAL_MS, () => this.#beat());
    const now = clock.monotonic();
    const waited = now - Math.max(this.#answeredMs ?? 0, this.#connectedMs);
    if (this.#peer !== undefined && waited > ANSWER_TIMEOUT_MS) this.#lose("it does not answer");
    void this.#connect().then(() => this.#send());
  }

  async #connect(): Promise<void> {
    const { clock, target, connect, log } = this.#options;
    if (this.#isConnecting || clock.monotonic() < this.#connectAfterMs) return;
    this.#isConnecting = true;
    try {
      const next = await target();
      if (this.#isStopped || next?.key === this.#target?.key) return;
      this.#disconnect();
      this.#target = next;
      this.#isWholeNext = true;
      if (next?.address === undefined) return;
      const peer: Peer = connect(next.address, {
        answered: (answer) => this.#answered(peer, answer),
        assigned: (assignment) => this.#options.assigned(assignment),
        ended: (reason) => {
          if (this.#peer !== peer) return;
          this.#noteBroken(next.key);
          this.#lose(reason);
        },
      });
      this.#peer = peer;
      this.#connectedMs = clock.monotonic();
    } catch (error) {
      log.debug({ err: error }, "the controller cannot be found");
    } finally {
      this.#isConnecting = false;
    }
  }

  #send(): void {
    const { hear, nextReport } = this.#options;
    if (this.#isStopped || this.#target === undefined) return;
    const isSelf = this.#target.address === undefined;
    if (!isSelf && this.#peer === undefined) return;
    const report = nextReport(this.#isWholeNext);
    this.#isWholeNext = false;
    if (isSelf) {
      this.#noteAnswer(hear(report));
      return;
    }
    this.#peer?.report(report);
  }

  #noteBroken(key: string): void {
    const answering = this.#answering;
    if (answering?.key !== key || answering.brokenMs !== undefined) return;
    this.#answering = { key, brokenMs: this.#options.clock.monotonic() };
  }

  #answered(peer: Peer, answer: HeartbeatAnswer): void {
    if (peer !== this.#peer) return;
    if (this.#target !== undefined) this.#answering = { key: this.#target.key, brokenMs: undefined };
    this.#reconnectMs = RECONNECT_MS.first;
    this.#noteAnswer(answer);
  }

  #noteAnswer(answer: HeartbeatAnswer): void {
    const refusal = answer.verdict === this.#verdict ? undefined : REFUSALS[answer.verdict];
    if (refusal !== undefined) this.#options.log.error({ verdict: answer.verdict }, refusal);
    this.#verdict = answer.verdict;
    if (answer.verdict === "not-controller") {
      this.#lose("it is not the controller");
      return;
    }
    this.#answeredMs = this.#options.clock.monotonic();
    this.#noteHeard();
    if (answer.verdict === "resync") {
      this.#isWholeNext = true;
      this.#send();
    }
  }

  #lose(reason: string): void {
    const { clock, random, log } = this.#options;
    log.debug({ reason, controller: this.#target?.key }, "the connection to the controller is over");
    this.#complain(reason);
    this.#disconnect();
    this.#connectAfterMs = clock.monotonic() + this.#reconnectMs + random.integer(this.#reconnectMs);
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, RECONNECT_MS.longest);
    const waitMs = this.#connectAfterMs - clock.monotonic();
    if (!this.#isStopped) {
      this.#timer?.cancel();
      this.#timer = clock.schedule(Math.min(waitMs, HEARTBEAT_INTERVAL_MS), () => this.#beat());
    }
  }

  /** One that is none for a while is nothing to complain of; one that refuses this broker's token would say so for ever. */
  #complain(reason: string): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    const unheardMs = now - Math.max(this.#startedMs, this.#answeredMs ?? 0);
    if (unheardMs < UNHEARD.firstMs) return;
    if (this.#complainedMs !== undefined && now - this.#complainedMs < UNHEARD.againMs) return;
    this.#complainedMs = now;
    const fields = { reason, controller: this.#target?.key, unheardMs: Math.round(unheardMs) };
    log.warn(fields, `the controller does not answer this broker: ${reason}`);
  }

  #noteHeard(): void {
    if (this.#complainedMs === undefined) return;
    this.#complainedMs = undefined;
    this.#options.log.info({ controller: this.#target?.key }, "the controller answers this broker again");
  }

  #disconnect(): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#target = undefined;
    peer?.hangUp();
  }
}
