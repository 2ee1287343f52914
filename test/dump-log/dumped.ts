// What Apache Kafka's DumpLogSegments prints, read back.
import { execFileSync } from "node:child_process";

export interface DumpedRecord {
  readonly offset: number;
  readonly timestamp?: number;
  readonly key?: string | null;
  readonly value?: string | null;
  /** Their keys: the tool does not print their values. */
  readonly headers?: string;
  /** Of a control record: its kind, and the coordinator's epoch. */
  readonly marker?: string;
}

export interface DumpedBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly codec: string;
  /** Id, epoch and first sequence. */
  readonly producer: string;
  readonly epoch: number;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  readonly deleteHorizon: string | undefined;
  readonly records: DumpedRecord[];
}

/** What was printed of one file. */
export interface DumpedFile {
  readonly batches: DumpedBatch[];
  /** Lines of a .txnindex. */
  readonly transactions: string[];
  /** What the tool says besides: damage, most of all. */
  readonly remarks: string[];
}

const BATCH =
  /^baseOffset: (\d+) lastOffset: (\d+) count: (\d+) baseSequence: (-?\d+) lastSequence: -?\d+ producerId: (-?\d+) producerEpoch: (-?\d+) partitionLeaderEpoch: (-?\d+) isTransactional: (\w+) isControl: (\w+) deleteHorizonMs: Optional(?:Long)?(?:\.empty|\[(\d+)\]) position: \d+ \w+: -?\d+ size: \d+ magic: 2 compresscodec: (\w+) crc: \d+ isvalid: (\w+)$/;
const RECORD =
  /^\| offset: (\d+) \w+: (-?\d+) keySize: (-?\d+) valueSize: (-?\d+) sequence: -?\d+ headerKeys: \[(.*?)\](?: endTxnMarker: (\w+) coordinatorEpoch: (\d+))?(?: key: (.*?))?(?: payload: (.*))?$/;

/** Runs the tool on all files at once: starting it takes longer than what it does. */
export function dump(tool: string, files: readonly string[]): Map<string, DumpedFile> {
  const printed = execFileSync(
    tool,
    ["kafka-dump-log", "--deep-iteration", "--print-data-log", "--files", files.join(",")],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 },
  );
  const found = new Map<string, DumpedFile>();
  let file: DumpedFile | undefined;
  for (const line of printed.split("\n")) {
    const name = /^Dumping (.*)$/.exec(line)?.[1];
    if (name !== undefined) {
      file = { batches: [], transactions: [], remarks: [] };
      found.set(name, file);
    } else if (file !== undefined) {
      take(line, file);
    }
  }
  return found;
}

function take(line: string, file: DumpedFile): void {
  const batch = BATCH.exec(line);
  const record = RECORD.exec(line);
  if (batch !== null) {
    const [
      ,
      baseOffset,
      lastOffset,
      ,
      sequence,
      id,
      epoch,
      leaderEpoch,
      isTransactional,
      isControl,
      horizon,
      codec,
      isValid,
    ] = batch;
    if (isValid !== "true") file.remarks.push(line);
    file.batches.push({
      baseOffset: Number(baseOffset),
      lastOffset: Number(lastOffset),
      codec: codec?.toLowerCase() ?? "",
      producer: `${id} ${epoch} ${sequence}`,
      epoch: Number(leaderEpoch),
      isTransactional: isTransactional === "true",
      isControl: isControl === "true",
      deleteHorizon: horizon,
      records: [],
    });
  } else if (record !== null) {
    file.batches.at(-1)?.records.push(recordOf(record));
  } else if (line.startsWith("version: ")) {
    file.transactions.push(line);
  } else if (line !== "" && !line.startsWith("Log starting offset: ")) {
    file.remarks.push(line);
  }
}

function recordOf([
  ,
  offset,
  timestamp,
  keySize,
  valueSize,
  headers,
  marker,
  epoch,
  key,
  value,
]: RegExpExecArray): DumpedRecord {
  if (marker !== undefined) return { offset: Number(offset), marker: `${marker} ${epoch}` };
  return {
    offset: Number(offset),
    timestamp: Number(timestamp),
    key: sized(key, keySize),
    value: sized(value, valueSize),
    headers: headers ?? "",
  };
}

/** Nothing is printed for null, and nothing that can be seen for what is empty: the size tells one from the other. */
function sized(text: string | undefined, size: string | undefined): string | null {
  if (Number(size) === -1) return null;
  const found = text ?? "";
  if (Buffer.byteLength(found) !== Number(size)) return `${found} (said to be ${size} bytes)`;
  return found;
}
