import type { LeaseTiming } from "./lease-listener.js";

/** A lease as it was read. */
export interface ObservedLease {
  /** Empty: nobody. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly resourceVersion: string;
}

/** What is to be done about the lease now. */
export type LeaseStep =
  /** Nothing before this time, unless something is observed. */
  | { readonly do: "wait"; readonly untilMs: number }
  /** Nobody has looked at the lease yet, or a write over what was seen of it has failed: read it within the time that is left, and ask again. */
  | { readonly do: "look"; readonly leftMs: number }
  /** Write the lease with this epoch: over what was observed, or, where nothing was, as a new one. */
  | { readonly do: "acquire"; readonly epoch: number; readonly over: ObservedLease | undefined }
  /** Write it again as it is, within the time that is left. */
  | { readonly do: "renew"; readonly over: ObservedLease; readonly leftMs: number }
  /** It is not held any more. */
  | { readonly do: "lose"; readonly reason: string };

interface Held {
  readonly epoch: number;
  /** When the last write that succeeded was begun. */
  readonly renewedAt: number;
}

/**
 * Decides when to take, renew and give up a lease. All times are of one monotonic clock: how far it is from the wall
 * clocks here and elsewhere does not matter, nor do jumps of those. Nothing is decided by times written in the lease.
 *
 * - Who does not hold it waits until it has not changed for its duration, as seen from here, and writes over exactly
 *   what it saw: that succeeds only if its holder has not renewed it since.
 * - Who holds it counts from before its last write that succeeded, and gives up before that runs out for anybody
 *   else. A process that was stopped finds that out from the clock before it does anything else.
 * - Epochs grow with every acquisition and never go back, also when the lease was removed or edited meanwhile.
 */
export class LeaseMachine {
  readonly #identity: string;
  readonly #timing: LeaseTiming;
  #observed: ObservedLease | undefined;
  #observedAt = 0;
  /** Something is known of the lease, and nothing says that it is out of date. */
  #isKnown = false;
  #held: Held | undefined;
  /** No attempt before. */
  #restUntil = Number.NEGATIVE_INFINITY;
  #epochMax: number;

  /** `epochMin`: the first epoch is higher. */
  constructor(identity: string, timing: LeaseTiming, epochMin = 0) {
    this.#identity = identity;
    this.#timing = timing;
    this.#epochMax = epochMin;
  }

  /** The epoch in which the lease is held at this time; undefined where it is not, or nobody can tell any more. */
  epochAt(now: number): number | undefined {
    const held = this.#held;
    return held !== undefined && now - held.renewedAt < this.#timing.renewDeadlineMs ? held.epoch : undefined;
  }

  /** Who is said to hold it. */
  get holder(): string | undefined {
    const holder = this.#observed?.holder ?? "";
    return holder === "" ? undefined : holder;
  }

  /** The lease was read. */
  looked(lease: ObservedLease | undefined, now: number): void {
    this.#see(lease, now);
  }

  /** The lease was seen by a watch, which may be late. */
  noticed(lease: ObservedLease | undefined, now: number): void {
    // An echo of what was written here, or a state before it.
    if (this.#held !== undefined && (lease === undefined || !this.#isTaken(lease, this.#held))) return;
    this.#see(lease, now);
  }

  next(now: number): LeaseStep {
    const held = this.#held;
    if (held !== undefined) return this.#nextOfHolder(held, now);
    const startAt = Math.max(this.#expiresAt(), this.#restUntil);
    if (now < startAt) return { do: "wait", untilMs: startAt };
    if (!this.#isKnown) return { do: "look", leftMs: this.#timing.renewDeadlineMs };
    return {
      do: "acquire",
      epoch: Math.max(this.#epochMax, this.#observed?.transitions ?? 0) + 1,
      over: this.#observed,
    };
  }

  /** A write succeeded that was begun at `begunAt`. */
  wrote(lease: ObservedLease, begunAt: number, now: number): void {
    this.#see(lease, now);
    this.#held = { epoch: lease.transitions, renewedAt: begunAt };
    this.#restUntil = begunAt + this.#timing.retryMs;
  }

  /** A read or a write failed, or it is unknown what became of it. No attempt before `restUntil`. */
  failed(restUntil: number): void {
    this.#restUntil = restUntil;
    this.#isKnown = false;
  }

  /** Somebody else was faster: a write was refused, as the lease is not what was seen of it. */
  outdated(): void {
    this.#isKnown = false;
  }

  /** The holder gives it up: what has to be written over; nothing where it is not held any more. */
  release(now: number): ObservedLease | undefined {
    const held = this.epochAt(now) !== undefined;
    this.#held = undefined;
    this.#isKnown = false;
    return held ? this.#observed : undefined;
  }

  #nextOfHolder(held: Held, now: number): LeaseStep {
    const deadline = held.renewedAt + this.#timing.renewDeadlineMs;
    if (now >= deadline) return this.#lose(`it could not be renewed for ${Math.round(now - held.renewedAt)} ms`);
    const seen = this.#observed;
    if (seen === undefined) return this.#lose("it was removed");
    if (this.#isTaken(seen, held)) return this.#lose(`it is held by "${seen.holder}"`);
    if (now < this.#restUntil) return { do: "wait", untilMs: Math.min(this.#restUntil, deadline) };
    if (!this.#isKnown) return { do: "look", leftMs: deadline - now };
    return { do: "renew", over: seen, leftMs: deadline - now };
  }

  #lose(reason: string): LeaseStep {
    this.#held = undefined;
    return { do: "lose", reason };
  }

  #isTaken(lease: ObservedLease, held: Held): boolean {
    if (lease.transitions > held.epoch) return true;
    return lease.transitions === held.epoch && lease.holder !== this.#identity;
  }

  #see(lease: ObservedLease | undefined, now: number): void {
    if (lease?.resourceVersion !== this.#observed?.resourceVersion) this.#observedAt = now;
    this.#observed = lease;
    this.#isKnown = true;
    this.#epochMax = Math.max(this.#epochMax, lease?.transitions ?? 0);
  }

  /** When it may be taken: at once where nobody holds it, or this process does without having been told. */
  #expiresAt(): number {
    const lease = this.#observed;
    if (lease === undefined || lease.holder === "" || lease.holder === this.#identity) return Number.NEGATIVE_INFINITY;
    return this.#observedAt + lease.durationMs;
  }
}
