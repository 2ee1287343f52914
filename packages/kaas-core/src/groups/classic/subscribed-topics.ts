import { KaasError } from "../../errors/kaas-error.js";
import { readConsumerProtocolSubscription } from "../../messages/generated/consumer-protocol.js";
import { Reader } from "../../wire/reader.js";
import type { ClassicGroup } from "./classic-group.js";

/**
 * The topics that the members subscribe to, as far as the coordinator can know: only consumers say so, in the
 * metadata of the chosen protocol. Null when it cannot be known.
 */
export function subscribedTopics(group: ClassicGroup): ReadonlySet<string> | null {
  if (group.protocolType !== "consumer") return null;
  const topics = new Set<string>();
  if (group.members.size === 0) return topics;
  if (group.protocolName === null) return null;
  for (const member of group.members.values()) {
    const memberTopics = topicsOf(member.metadata(group.protocolName));
    if (memberTopics === null) {
      const fields = { group: group.id, member: member.id, protocol: group.protocolName };
      group.environment.log.debug(fields, "subscription of a consumer cannot be read; its topics are not known");
      return null;
    }
    for (const topic of memberTopics) topics.add(topic);
  }
  return topics;
}

/** Read as version 0, which every later version begins with. */
function topicsOf(subscription: Buffer): readonly string[] | null {
  try {
    const reader = new Reader(subscription);
    if (reader.int16() < 0) return null;
    return readConsumerProtocolSubscription(reader, 0).topics;
  } catch (error) {
    if (error instanceof KaasError && error.code === "KAAS_WIRE_MALFORMED") return null;
    throw error;
  }
}

/**
 * Whether the group is using a topic, so that its offsets are neither deleted nor expired. A consumer group whose
 * subscriptions are not known may use any.
 */
export function isSubscribed(group: ClassicGroup, topic: string): boolean {
  return group.subscribedTopics?.has(topic) ?? group.protocolType === "consumer";
}
