import {
  type ControllerApi,
  type Election,
  ErrorCode,
  type LeaderWish,
  type LeadershipWishes,
  type OngoingMove,
  type WishedPartition,
  type WishResult,
} from "@kaas/core";
import type { Peer } from "./peers/peer-client.js";

const UNREACHABLE: WishResult = {
  errorCode: ErrorCode.REQUEST_TIMED_OUT,
  message: "the controller cannot be reached at the moment; try again",
};

/** Wishes for the controller, whether that is in this process or in another. */
export class RemoteWishes implements LeadershipWishes {
  readonly #controller: ControllerApi;
  readonly #isHere: () => boolean;
  readonly #peer: () => Peer | undefined;

  constructor(controller: ControllerApi, isHere: () => boolean, peer: () => Peer | undefined) {
    this.#controller = controller;
    this.#isHere = isHere;
    this.#peer = peer;
  }

  async reassign(wishes: readonly LeaderWish[], timeoutMs: number): Promise<readonly WishResult[]> {
    if (this.#isHere()) return this.#controller.reassign(wishes);
    const asked = this.#peer()?.reassign(wishes, timeoutMs);
    return (await answered(asked)) ?? wishes.map(() => UNREACHABLE);
  }

  async moves(timeoutMs: number): Promise<readonly OngoingMove[] | WishResult> {
    if (this.#isHere()) return this.#controller.moves();
    return (await answered(this.#peer()?.moves(timeoutMs))) ?? UNREACHABLE;
  }

  async elect(
    election: Election,
    partitions: readonly WishedPartition[],
    timeoutMs: number,
  ): Promise<readonly WishResult[]> {
    if (this.#isHere()) return this.#controller.elect(election, partitions);
    const asked = this.#peer()?.elect(election, partitions, timeoutMs);
    return (await answered(asked)) ?? partitions.map(() => UNREACHABLE);
  }
}

/** Undefined where the other end did not answer, for whatever reason. */
async function answered<Answer>(asked: Promise<Answer> | undefined): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch {
    return undefined; // what is told to the client says that it may try again
  }
}
