import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { WishedPartition, WishResult } from "../ports/leadership-wishes.js";
import type { RequestContext } from "./api-handler.js";

/** One partition of a request about leadership: what it is, or why nothing can be wished of it, and its result later. */
export interface AskedPartition<Wish extends WishedPartition> {
  readonly topic: string;
  readonly partition: number;
  readonly wish: Wish | Refusal;
}

/** A partition by its name, if there is one. */
export function knownPartition(context: RequestContext, topic: string, partition: number): WishedPartition | undefined {
  const known = context.broker.topics.byName(topic);
  if (known === undefined || partition < 0 || partition >= known.partitionCount) return undefined;
  return { topic, topicId: known.id, partition };
}

/** The results of all that was asked, in its order: the refusals, and what became of the rest. */
export async function granted<Wish extends WishedPartition>(
  asked: readonly AskedPartition<Wish>[],
  grant: (wishes: readonly Wish[]) => Promise<readonly WishResult[]>,
): Promise<readonly Refusal[]> {
  const wishes = asked.flatMap(({ wish }) => (isRefusal(wish) ? [] : [wish]));
  const results = wishes.length === 0 ? [] : await grant(wishes);
  let next = 0;
  return asked.map(({ wish }) => (isRefusal(wish) ? wish : asRefusal(results[next++])));
}

/** Who could not be asked has said so of everything; a client tries the request as a whole again then. */
export function failureOfAll(results: readonly Refusal[]): Refusal | undefined {
  const [first] = results;
  if (first === undefined || results.some(({ errorCode }) => errorCode !== first.errorCode)) return undefined;
  const isOfAll = first.errorCode === ErrorCode.NOT_CONTROLLER || first.errorCode === ErrorCode.REQUEST_TIMED_OUT;
  return isOfAll ? first : undefined;
}

/** Results by topic, topics and partitions in the order in which they were asked for. */
export function byTopic<Result>(
  asked: readonly { readonly topic: string; readonly partition: number }[],
  results: readonly Result[],
): ReadonlyMap<string, readonly { readonly partition: number; readonly result: Result }[]> {
  const topics = new Map<string, { partition: number; result: Result }[]>();
  for (const [index, { topic, partition }] of asked.entries()) {
    const partitions = topics.get(topic) ?? [];
    partitions.push({ partition, result: results[index] as Result });
    topics.set(topic, partitions);
  }
  return topics;
}

function asRefusal(result: WishResult | undefined): Refusal {
  return refuse(result?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR, result?.message ?? "");
}

function isRefusal(wish: WishedPartition | Refusal): wish is Refusal {
  return "errorCode" in wish;
}
