/** How a lease is held, in milliseconds. Renewal, deadline and duration have to grow in this order. */
export interface LeaseTiming {
  /** Others may take it when they have not seen it renewed for so long. Whole seconds. */
  readonly durationMs: number;
  /** Who has not managed to renew it for so long gives it up: before others may take it. */
  readonly renewDeadlineMs: number;
  /** Between renewals, and between attempts. */
  readonly retryMs: number;
}

/** Told about a lease. Calls must not throw. */
export interface LeaseListener {
  /** It is held from now on, in this epoch: higher than any before. */
  acquired(epoch: number): void;
  /** It is not held any more, or nobody can tell. */
  lost(reason: string): void;
  /** Who is said to hold it: an identity as given to the elector. Undefined where nobody does. */
  holderChanged(holder: string | undefined): void;
}
