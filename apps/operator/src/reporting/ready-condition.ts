import type { Condition } from "@kaas/operator-api";

/** What is to be said of a resource. */
export interface Verdict {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

const MESSAGE_LENGTH_MAX = 2_000;

/**
 * The conditions of a resource with a new one of a type. The time says since when it is so (or not), and stays while that
 * does not change, whatever the reason.
 */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
  { isReady, reason, message }: Verdict,
  generation: number | undefined,
  nowMs: number,
): Condition[] {
  const before = conditions?.find((condition) => condition.type === type);
  const status = isReady ? "True" : "False";
  const isSince = before?.status === status;
  const condition: Condition = {
    type,
    status,
    reason,
    message: message.slice(0, MESSAGE_LENGTH_MAX),
    lastTransitionTime: isSince ? before.lastTransitionTime : timestamp(nowMs),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return [...withoutCondition(conditions, type), condition];
}

export function withoutCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

/** Whether people are to be told of a new condition that is not `Ready`: how far something has come is no news. */
export function isTurn(conditions: readonly Condition[] | undefined, type: string, verdict: Verdict): boolean {
  return conditions?.find((condition) => condition.type === type)?.reason !== verdict.reason;
}

/** Whether people are to be told of a new `Ready`: not when only its generation is another. */
export function isNews(conditions: readonly Condition[] | undefined, verdict: Verdict): boolean {
  const before = conditions?.find(({ type }) => type === "Ready");
  return before === undefined || before.reason !== verdict.reason || before.message !== verdict.message;
}

/** RFC 3339 in whole seconds, as Kubernetes has it in conditions. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}
