/**
 * DescribeLogDirs (key 35), versions 1-5.
 *
 * Tells how much room the partitions take in each directory of logs; a null list asks for all of them.
 *
 * - v3: an error of the whole answer. v4: size of the volume (KIP-827).
 * - v5: whether a directory is cordoned (KIP-1066); there is no way to cordon one, so none is.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeLogDirsRequest,
  DescribeLogDirsResponseDescribeLogDirsTopicInit,
  DescribeLogDirsResponseInit,
} from "../messages/generated/index.js";
import type { LogDirDescription } from "../ports/partition-logs.js";
import type { ApiHandler } from "./api-handler.js";

export const describeLogDirs: ApiHandler<DescribeLogDirsRequest, DescribeLogDirsResponseInit> = {
  key: 35,
  versionMin: 1,
  versionMax: 5,

  async handle(context, request) {
    const wanted = wantedPartitions(request);
    const dirs = await context.broker.logs.describeLogDirs();
    return {
      errorCode: ErrorCode.NONE,
      results: dirs.map((dir) => ({
        errorCode: dir.errorCode,
        logDir: dir.path,
        topics: topicsOf(dir, wanted),
        totalBytes: dir.totalBytes,
        usableBytes: dir.usableBytes,
        isCordoned: false,
      })),
    };
  },

  fail(_request, errorCode) {
    return { errorCode, results: [] };
  },
};

/** The partitions asked for by topic; undefined asks for all. */
function wantedPartitions(request: DescribeLogDirsRequest): ReadonlyMap<string, ReadonlySet<number>> | undefined {
  if (request.topics === null) return undefined;
  const wanted = new Map<string, Set<number>>();
  for (const { topic, partitions } of request.topics) {
    const known = wanted.get(topic) ?? new Set();
    for (const partition of partitions) known.add(partition);
    wanted.set(topic, known);
  }
  return wanted;
}

function topicsOf(
  dir: LogDirDescription,
  wanted: ReadonlyMap<string, ReadonlySet<number>> | undefined,
): DescribeLogDirsResponseDescribeLogDirsTopicInit[] {
  const topics = new Map<
    string,
    { partitionIndex: number; partitionSize: number; offsetLag: number; isFutureKey: boolean }[]
  >();
  for (const { topic, partition, sizeBytes } of dir.partitions) {
    if (wanted !== undefined && wanted.get(topic)?.has(partition) !== true) continue;
    const partitions = topics.get(topic) ?? [];
    partitions.push({ partitionIndex: partition, partitionSize: sizeBytes, offsetLag: 0, isFutureKey: false });
    topics.set(topic, partitions);
  }
  return [...topics].map(([name, partitions]) => ({ name, partitions }));
}
