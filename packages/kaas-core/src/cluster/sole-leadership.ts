import { ErrorCode } from "../errors/error-codes.js";
import type {
  Election,
  LeaderWish,
  LeadershipWishes,
  OngoingMove,
  WishedPartition,
  WishResult,
} from "../ports/leadership-wishes.js";
import type { TopicTable } from "./topic-table.js";

const DONE: WishResult = { errorCode: ErrorCode.NONE, message: null };

/** What can be wished for where one broker leads everything: what is so anyway. */
export class SoleLeadership implements LeadershipWishes {
  readonly #topics: TopicTable;

  constructor(topics: TopicTable) {
    this.#topics = topics;
  }

  reassign(wishes: readonly LeaderWish[]): Promise<readonly WishResult[]> {
    const nothingToCancel = {
      errorCode: ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
      message: "No partition reassignment is in progress.",
    };
    return Promise.resolve(wishes.map(({ brokers }) => (brokers === null ? nothingToCancel : DONE)));
  }

  moves(): Promise<readonly OngoingMove[]> {
    return Promise.resolve([]);
  }

  elect(election: Election, partitions: readonly WishedPartition[]): Promise<readonly WishResult[]> {
    return Promise.resolve(
      partitions.map(({ topic, partition }) =>
        this.#topics.log(topic, partition) === undefined ? noLeader(election) : electionNotNeeded(),
      ),
    );
  }
}

function electionNotNeeded(): WishResult {
  return { errorCode: ErrorCode.ELECTION_NOT_NEEDED, message: "Leader election not needed for topic partition." };
}

function noLeader(election: Election): WishResult {
  if (election === "preferred") {
    return { errorCode: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, message: "The preferred leader was not available." };
  }
  return {
    errorCode: ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
    message: "Eligible topic partition leaders are not available.",
  };
}
