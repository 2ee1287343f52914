import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import type { PrimitiveType } from "../../packages/kaas-core/src/messages/schema.js";
import type { Prng } from "./prng.js";

/** Topics that the fuzzer uses; they exist when it starts. Nothing else of the broker's is named by its requests. */
export const FUZZ_TOPICS: readonly string[] = ["fuzz-0", "fuzz-1", "fuzz-2", "fuzz-3"];

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);
const INT64_MAX = 2 ** 63;
const ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA";

const STRANGE_STRINGS: readonly string[] = [
  "",
  ".",
  "..",
  "../../etc/passwd",
  "a/b",
  "a\0b",
  "\u00e4\u{1f980}",
  " ",
  "__proto__",
  "constructor",
  "x".repeat(249),
  "x".repeat(250),
  "y".repeat(32_000),
];

/** Values of fields that decide how far into a handler a request gets, by field name. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  groupId: ["fuzz-group-0", "fuzz-group-1", "fuzz-group-2"],
  memberId: ["", "", "member"],
  protocolType: ["consumer", "consumer", "connect"],
  protocolName: ["range", "sticky"],
  groupInstanceId: ["instance"],
  transactionalId: ["transaction"],
  clientSoftwareName: ["fuzz"],
  clientSoftwareVersion: ["1.0"],
};

const NAMES: readonly string[] = [
  ...FUZZ_TOPICS,
  ...FUZZ_TOPICS,
  ...FUZZ_TOPICS,
  "fuzz-new",
  "range",
  "retention.ms",
  "cleanup.policy",
  "fuzz-group-0",
];

const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  acks: [-1, -1, 1, 1, 0, 2],
  maxWaitMs: [0, 0, 0, 0, 1, 20],
  timeoutMs: [0, 1, 100, 100, INT32_MAX, -1],
  sessionTimeoutMs: [6000, 10_000, 0, INT32_MAX],
  rebalanceTimeoutMs: [1, 50, 100, 6000],
  index: [0, 0, 0, 1, 2, -1, INT32_MAX],
  partition: [0, 0, 0, 1, 2, -1, INT32_MAX],
  partitionIndex: [0, 0, 0, 1, 2, -1, INT32_MAX],
  partitionIndexes: [0, 0, 1, 2, -1],
  numPartitions: [1, 1, 2, -1, 0, INT32_MAX],
  count: [1, 2, 3, 4, 0, INT32_MAX],
  replicationFactor: [1, 1, -1, 3, 0],
  resourceType: [2, 2, 2, 0, 16, 127],
  configOperation: [0, 1, 2, 3, 9],
  sessionId: [0, 0, 0, 1, -1],
  sessionEpoch: [-1, -1, 0, 1],
  keyType: [0, 0, 1, 2, 9],
};

const INTEGERS: readonly number[] = [0, 0, 0, 1, 1, 2, -1, -1, -2, 100, 1000];

/** Makes up values for the fields of requests: mostly what a client could mean, sometimes what none would. */
export class FuzzValues {
  readonly #prng: Prng;
  readonly #topicIds: readonly string[];
  readonly #batches: readonly Buffer[];

  constructor(prng: Prng, topicIds: readonly string[]) {
    this.#prng = prng;
    this.#topicIds = topicIds;
    this.#batches = [1, 3, 40].map((count) =>
      buildBatch(
        Array.from({ length: count }, (_, index) => ({ key: Buffer.from("k"), value: prng.bytes(index * 10) })),
      ),
    );
  }

  value(name: string, type: PrimitiveType): unknown {
    switch (type) {
      case "bool":
        return this.#prng.oneIn(2);
      case "string":
        return this.#text(name);
      case "uuid":
        return this.#uuid();
      case "bytes":
        return this.#prng.bytes(this.#prng.pick([0, 0, 10, 100, 2000]));
      case "records":
        return this.#records();
      case "float64":
        return this.#prng.pick([0, 1, -1, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY]);
      default:
        return this.#number(name, type);
    }
  }

  #text(name: string): string {
    if (this.#prng.oneIn(30)) return this.#prng.pick(STRANGE_STRINGS);
    return this.#prng.pick(TEXTS[name] ?? NAMES);
  }

  #uuid(): string {
    if (this.#prng.oneIn(4)) return ZERO_UUID;
    if (this.#prng.oneIn(4)) return this.#prng.bytes(16).toString("base64url");
    return this.#prng.pick(this.#topicIds);
  }

  #number(name: string, type: "int8" | "int16" | "uint16" | "int32" | "int64"): number {
    const meant = NUMBERS[name];
    if (meant !== undefined && !this.#prng.oneIn(20)) return wrapped(this.#prng.pick(meant), type);
    if (!this.#prng.oneIn(10)) return wrapped(this.#prng.pick(INTEGERS), type);
    return wrapped(this.#prng.pick([INT32_MAX, INT32_MIN, INT64_MAX, -INT64_MAX, this.#prng.uint32()]), type);
  }

  /** A good batch, a spoilt one, or no batch at all. */
  #records(): Buffer {
    const prng = this.#prng;
    const batch = prng.pick(this.#batches);
    const what = prng.integer(10);
    if (what < 4) return batch;
    if (what < 7) {
      const spoilt = Buffer.from(batch);
      for (let flips = 1 + prng.integer(3); flips > 0; flips--) {
        const at = prng.integer(spoilt.length);
        spoilt[at] = (spoilt[at] as number) ^ (1 << prng.integer(8));
      }
      return spoilt;
    }
    if (what < 8) return batch.subarray(0, prng.integer(batch.length));
    if (what < 9) return Buffer.concat([batch, prng.pick(this.#batches)]);
    return prng.bytes(prng.pick([0, 1, 16, 17, 60, 61, 62, 300]));
  }
}

const BITS = { int8: 8, int16: 16, uint16: 16, int32: 32, int64: 64 } as const;

function wrapped(value: number, type: keyof typeof BITS): number {
  if (type === "int64") return value;
  const number = Number(BigInt.asIntN(BITS[type], BigInt(value)));
  return type === "uint16" ? number & 0xffff : number;
}
