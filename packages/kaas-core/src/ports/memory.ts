/** Memory that is lent. Whoever has it lets go of it once, and does not look at it afterwards. */
export interface Lease {
  release(): void;
}
