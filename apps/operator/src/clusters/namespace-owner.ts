import type { KafkaCluster } from "@kaas/operator-api";
import type { Refusal } from "../reconciling/steps.js";

/** Whose namespace it is: of the KafkaCluster that came first. Everybody who asks decides the same. */
export function ownerOf(clusters: readonly KafkaCluster[]): KafkaCluster | undefined {
  return [...clusters].sort((a, b) => compare(seniorityOf(a), seniorityOf(b)))[0];
}

/** KafkaTopics and KafkaUsers do not say which cluster they are for, so that there can be one. */
export const namespaceTaken = ({ metadata }: KafkaCluster): Refusal => ({
  reason: "NamespaceTaken",
  message: `this namespace is that of KafkaCluster ${metadata.name}, which came first, and whose topics and users all that are here are; install the release into a namespace of its own`,
});

/** The time is in whole seconds: two of one second are told apart by what never changes either. */
function seniorityOf({ metadata }: KafkaCluster): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.uid ?? ""}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
