import { NO_LEADER, type Assignment } from "../assignment.js";

/** A partition that was given from one broker that lives to another, and that the other has not reported yet. */
export interface MoveUnderWay {
  readonly topicId: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly sinceMs: number;
}

/** Partitions on their way, so that no more than so many are without a leader at any time. */
export class MovesUnderWay {
  readonly #moves = new Map<string, MoveUnderWay>();

  get count(): number {
    return this.#moves.size;
  }

  all(): readonly MoveUnderWay[] {
    return [...this.#moves.values()];
  }

  /** Notes what an assignment moves; `isAlive` tells a move from a replacement. */
  note(before: Assignment | undefined, after: Assignment, isAlive: (nodeId: number) => boolean, nowMs: number): void {
    const leadersBefore = new Map(before?.topics.map(({ topicId, leaders }) => [topicId, leaders]));
    for (const { topicId, leaders } of after.topics) {
      const old = leadersBefore.get(topicId);
      if (old === undefined || old === leaders) continue;
      for (const [partition, to] of leaders.entries()) {
        const from = old[partition] ?? NO_LEADER;
        if (from === to) continue;
        const key = keyOf(topicId, partition);
        if (from !== NO_LEADER && to !== NO_LEADER && isAlive(from)) {
          this.#moves.set(key, { topicId, partition, from, to, sinceMs: nowMs });
        } else this.#moves.delete(key);
      }
    }
  }

  /** Forgets those that are done, one way or another. */
  settle(isDone: (move: MoveUnderWay) => boolean): void {
    for (const [key, move] of this.#moves) if (isDone(move)) this.#moves.delete(key);
  }
}

function keyOf(topicId: string, partition: number): string {
  return `${topicId}:${partition}`;
}
