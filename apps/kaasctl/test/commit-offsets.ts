import { RawClient } from "../../../packages/kaas-core/test/fakes/raw-client.js";

const OFFSET_COMMIT = [8, 8] as const;
const NOT_COORDINATOR = 16;

interface OffsetCommitAnswer {
  readonly topics: readonly { readonly partitions: readonly { readonly errorCode: number }[] }[];
}

/** Commits offsets of a topic, by partition, for a group without members, to whichever broker coordinates it. */
export async function commitOffsets(
  addresses: readonly string[],
  groupId: string,
  topic: string,
  offsets: Readonly<Record<number, number>>,
): Promise<void> {
  const partitions = Object.entries(offsets).map(([partition, committedOffset]) => ({
    partitionIndex: Number(partition),
    committedOffset,
    committedLeaderEpoch: -1,
    committedMetadata: "here",
  }));
  const request = { groupId, generationIdOrMemberEpoch: -1, memberId: "", topics: [{ name: topic, partitions }] };
  for (const address of addresses) {
    const client = await RawClient.connect(Number(address.split(":")[1]));
    client.request(...OFFSET_COMMIT, 1, request);
    const { response } = await client.answer<OffsetCommitAnswer>(...OFFSET_COMMIT);
    client.close();
    const codes = response.topics.flatMap((one) => one.partitions.map(({ errorCode }) => errorCode));
    if (codes.every((code) => code === 0)) return;
    if (codes.some((code) => code !== NOT_COORDINATOR)) throw new Error(`errors ${codes.join(", ")}`);
  }
  throw new Error(`nobody coordinates ${groupId}`);
}
