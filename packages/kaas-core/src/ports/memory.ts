/** Memory that is lent. Whoever has it lets go of it once, and does not look at it afterwards. */
export interface Lease {
  /** Lets go of it. The memory may be used for something else at once. */
  release(): void;
}

/** Memory that several may hold: who keeps it longer than the call that brought it holds it for himself. */
export interface SharedLease extends Lease {
  /** One more holder, who has to release it. */
  retain(): void;
}
