import type { ErrorCode } from "../errors/error-codes.js";

/** A partition, as an admin client names it. */
export interface WishedPartition {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
}

/** Where an admin client wants a partition to be led. */
export interface LeaderWish extends WishedPartition {
  /**
   * Node ids in the order in which they are preferred, all of them brokers of the cluster; the first that lives shall
   * lead. Null: the wish that was there is taken back, and balance decides.
   */
  readonly brokers: readonly number[] | null;
}

/** A leader that is moving. */
export interface OngoingMove extends WishedPartition {
  /** −1: nobody leads. */
  readonly from: number;
  readonly to: number;
}

/** Which of the leaders that are possible an election chooses. */
export type Election = "preferred" | "unclean";

/** What became of a wish. */
export interface WishResult {
  readonly errorCode: ErrorCode;
  /** For the person who asked; null where there is nothing to say. */
  readonly message: string | null;
}

/**
 * What admin clients want of leadership, told to the controller. All brokers can lead all partitions, for the volume
 * is shared: a wish moves no data.
 *
 * Each call answers within `timeoutMs`, `REQUEST_TIMED_OUT` where the controller could not be asked, and
 * `NOT_CONTROLLER` where it changed meanwhile. Never rejects.
 */
export interface LeadershipWishes {
  /** Takes wishes, one result each; those that are accepted are in the next assignment. */
  reassign(wishes: readonly LeaderWish[], timeoutMs: number): Promise<readonly WishResult[]>;
  /** Leaders that are moving now, because of a wish or not. */
  moves(timeoutMs: number): Promise<readonly OngoingMove[] | WishResult>;
  /**
   * Gives each partition a leader again: the one that was wished for, else the one that balance would choose. One
   * result each; `ELECTION_NOT_NEEDED` where the leader is the one already.
   */
  elect(election: Election, partitions: readonly WishedPartition[], timeoutMs: number): Promise<readonly WishResult[]>;
}
