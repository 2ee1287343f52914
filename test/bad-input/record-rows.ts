import { ErrorCode, errorName } from "../../packages/kaas-core/src/errors/error-codes.js";
import type { ListOffsetsResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { buildBatch, sealBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { Report } from "./report.js";

const PRODUCE = 0;
const LIST_OFFSETS = 2;
const LATEST = -1;
const MAGIC_AT = 16;
const RECORD_COUNT_AT = 57;

const good = (): Buffer => buildBatch([{ value: Buffer.from("one") }, { value: Buffer.from("two") }]);

/** A good batch with something changed, and its checksum made to fit again. */
function resealed(change: (bytes: Buffer) => void): Buffer {
  const bytes = good();
  change(bytes);
  sealBatch(bytes, 0, bytes.length);
  return bytes;
}

function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = good();
  change(bytes);
  return bytes;
}

const ROWS: readonly (readonly [name: string, records: Buffer | null, errorCode: ErrorCode])[] = [
  ["a bad checksum", changed((bytes) => bytes.writeUInt32BE(1, 17)), ErrorCode.CORRUPT_MESSAGE],
  ["a flipped bit", changed((bytes) => bytes.writeUInt8(0xff, bytes.length - 1)), ErrorCode.CORRUPT_MESSAGE],
  ["a truncated batch", good().subarray(0, -3), ErrorCode.INVALID_RECORD],
  ["half a batch header", good().subarray(0, 30), ErrorCode.INVALID_RECORD],
  ["a length that no batch has", changed((bytes) => bytes.writeInt32BE(5, 8)), ErrorCode.CORRUPT_MESSAGE],
  ["a negative length", changed((bytes) => bytes.writeInt32BE(-5, 8)), ErrorCode.CORRUPT_MESSAGE],
  [
    "a record count that is too high",
    resealed((bytes) => bytes.writeInt32BE(3, RECORD_COUNT_AT)),
    ErrorCode.INVALID_RECORD,
  ],
  ["no record at all", resealed((bytes) => bytes.writeInt32BE(0, RECORD_COUNT_AT)), ErrorCode.INVALID_RECORD],
  ["an unknown codec", resealed((bytes) => batch.setAttributes(bytes, 0, 7)), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE],
  [
    "a control batch",
    resealed((bytes) => batch.setAttributes(bytes, 0, batch.Attribute.CONTROL)),
    ErrorCode.INVALID_RECORD,
  ],
  ["record format 0", changed((bytes) => bytes.writeInt8(0, MAGIC_AT)), ErrorCode.INVALID_RECORD],
  ["record format 1", changed((bytes) => bytes.writeInt8(1, MAGIC_AT)), ErrorCode.INVALID_RECORD],
  ["record format 3", changed((bytes) => bytes.writeInt8(3, MAGIC_AT)), ErrorCode.CORRUPT_MESSAGE],
  ["two batches", Buffer.concat([good(), good()]), ErrorCode.INVALID_RECORD],
];

/**
 * Bad records beside good ones, in one request: the bad partition hears of it and has nothing written, its neighbour
 * is written as if alone.
 */
export class RecordRows {
  readonly #port: number;
  readonly #topic: string;
  readonly #report: Report;

  /** The topic has two partitions and is empty. */
  constructor(port: number, topic: string, report: Report) {
    this.#port = port;
    this.#topic = topic;
    this.#report = report;
  }

  async run(): Promise<void> {
    const client = await RawClient.connect(this.#port);
    for (const [name, records, errorCode] of ROWS) {
      await this.#report.attempt(`${name} is ${errorName(errorCode)}, and nothing is written`, () =>
        this.#row(client, records, errorCode),
      );
    }
    client.close();
  }

  async #row(client: RawClient, records: Buffer | null, errorCode: ErrorCode): Promise<void> {
    const before = await this.#ends(client);
    const partitionData = [
      { index: 0, records },
      { index: 1, records: good() },
    ];
    client.request(PRODUCE, 9, 1, { acks: -1, timeoutMs: 30_000, topicData: [{ name: this.#topic, partitionData }] });
    const { response } = await client.answer<ProduceResponse>(PRODUCE, 9);
    const codes = response.responses[0]?.partitionResponses.map((partition) => errorName(partition.errorCode));
    const expected = [errorName(errorCode), "NONE"];
    if (String(codes) !== String(expected)) throw new Error(`the answer is ${String(codes)}, not ${String(expected)}`);
    const after = await this.#ends(client);
    const growth = after.map((end, index) => end - (before[index] ?? 0));
    if (String(growth) !== "0,2") throw new Error(`the logs grew by ${String(growth)} records, not by 0,2`);
  }

  async #ends(client: RawClient): Promise<number[]> {
    const partitions = [0, 1].map((partitionIndex) => ({ partitionIndex, timestamp: LATEST }));
    client.request(LIST_OFFSETS, 5, 2, { replicaId: -1, topics: [{ name: this.#topic, partitions }] });
    const { response } = await client.answer<ListOffsetsResponse>(LIST_OFFSETS, 5);
    return response.topics[0]?.partitions.map(({ offset }) => offset) ?? [];
  }
}
