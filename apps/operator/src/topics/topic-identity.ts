import type { Random } from "@kaas/core";
import type { FoundTopic } from "@kaas/storage";

/** What a KafkaTopic, or the lack of one, may do with a directory of its name. */
export type DirectoryClaim =
  /** It is this topic's, or becomes it: it is there and its id is taken over, or nobody has stamped it. */
  | "adopt"
  /** It is what an earlier KafkaTopic of the name has left: it is set aside. */
  | "set aside"
  | "none";

/**
 * Whose a directory is. `topicId` is what the KafkaTopic is known to have, undefined for a new one.
 *
 * A new KafkaTopic takes over a directory that was not kept for this cluster: of a single node whose volume is mounted
 * now, or from before the cluster's resources were lost. One that was kept for this cluster had a KafkaTopic, which is
 * gone: what it left is another topic, though it has the same name.
 */
export function claimOn(
  found: FoundTopic | undefined,
  topicId: string | undefined,
  clusterUid: string | undefined,
): DirectoryClaim {
  if (found === undefined) return "none";
  if (found.id === undefined || found.id === topicId) return "adopt";
  if (topicId !== undefined) return "set aside";
  return found.keptFor === undefined || found.keptFor !== clusterUid ? "adopt" : "set aside";
}

/** A new topic's id: a UUID of version 4, as Kafka writes one. */
export function mintTopicId(random: Random): string {
  for (;;) {
    const bytes = Buffer.from(random.uuid(), "base64url");
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const id = bytes.toString("base64url");
    // Kafka gives out none that a command line would take for an option.
    if (!id.startsWith("-")) return id;
  }
}
