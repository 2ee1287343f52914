// kaas's segments under the names that Apache Kafka gives its own.
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
} from "node:fs";
import type { SegmentRecord } from "../../packages/kaas-storage/src/documents/document-types.js";
import { segmentFileName } from "../../packages/kaas-storage/src/partition/file-names.js";

/** Files of one log, in Kafka's order. */
export interface LinkedSegments {
  readonly logs: readonly string[];
  readonly indexes: readonly string[];
  /** Segments whose files go on behind what is in force. */
  readonly longer: number;
  /** Segments that compaction wrote. */
  readonly cleaned: number;
}

/** Links what the newest hand-over of a closed volume has in force. A file that goes on behind it is cut to it. */
export function linkSegments(volume: string, into: string): LinkedSegments {
  const partition = `${volume}/t/0`;
  mkdirSync(into, { recursive: true });
  const logs: string[] = [];
  const indexes: string[] = [];
  let longer = 0;
  let cleaned = 0;
  for (const { epoch, baseOffset, generation = 0, sizeBytes } of inForce(partition)) {
    const name = String(baseOffset).padStart(20, "0");
    const source = `${partition}/${segmentFileName(epoch, baseOffset, generation, "log")}`;
    const log = `${into}/${name}.log`;
    if (statSync(source).size === sizeBytes) {
      linkSync(source, log);
    } else {
      copyFileSync(source, log);
      truncateSync(log, sizeBytes);
      longer++;
    }
    logs.push(log);
    if (generation > 0) cleaned++;
    const index = `${partition}/${segmentFileName(epoch, baseOffset, generation, "txnindex")}`;
    if (!existsSync(index)) continue;
    linkSync(index, `${into}/${name}.txnindex`);
    indexes.push(`${into}/${name}.txnindex`);
  }
  return { logs, indexes, longer, cleaned };
}

function inForce(partition: string): readonly SegmentRecord[] {
  const released = readdirSync(partition)
    .filter((name) => name.endsWith(".released"))
    .sort()
    .at(-1);
  if (released === undefined) throw new Error(`${partition} was not handed over`);
  const { segments } = JSON.parse(readFileSync(`${partition}/${released}`, "utf8")) as { segments: SegmentRecord[] };
  return segments.filter(({ sizeBytes }) => sizeBytes > 0);
}
