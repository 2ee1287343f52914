import { apiSchemas } from "../../packages/kaas-core/src/messages/api-schemas.js";
import { type FieldSchema, includesVersion, parseVersions } from "../../packages/kaas-core/src/messages/schema.js";
import { requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { FuzzValues } from "./fuzz-values.js";
import type { Prng } from "./prng.js";

/** Versions of one API that the broker says it serves. */
export interface ServedVersions {
  readonly apiKey: number;
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** APIs that write to the disk, or wait for others: asked less often, or the disk would be what is tested. */
const WEIGHTS: ReadonlyMap<number, number> = new Map([
  [0, 4], // Produce
  [8, 3], // OffsetCommit
  [11, 2], // JoinGroup
  [19, 1], // CreateTopics
  [20, 1], // DeleteTopics
  [22, 3], // InitProducerId
  [33, 1], // AlterConfigs
  [37, 1], // CreatePartitions
  [44, 1], // IncrementalAlterConfigs
]);
const WEIGHT = 10;

const schemas = new Map(apiSchemas.map((api) => [api.key, api]));

/** Requests that are kept to be mutated again; making one up takes longer than all that is done with it. */
const CORPUS_SIZE = 4000;
/** How often a kept request gives way to a new one. */
const RENEWED_ONE_IN = 20;
const CORRELATION_ID_AT = 8;

/** Makes up requests that are valid as messages, of every API and version that is served. */
export class FuzzRequests {
  readonly #corpus: Buffer[] = [];
  readonly #prng: Prng;
  readonly #values: FuzzValues;
  /** Each API as often as it is to be asked. */
  readonly #lots: readonly ServedVersions[];

  constructor(prng: Prng, values: FuzzValues, apis: readonly ServedVersions[]) {
    this.#prng = prng;
    this.#values = values;
    const known = apis.filter(({ apiKey }) => schemas.has(apiKey)); // Apache Kafka serves a few between brokers
    this.#lots = known.flatMap((api) => new Array<ServedVersions>(WEIGHTS.get(api.apiKey) ?? WEIGHT).fill(api));
  }

  /** A frame with its length, which the caller may change. */
  next(correlationId: number): Buffer {
    const at = this.#prng.integer(CORPUS_SIZE);
    let kept = this.#corpus[at];
    if (kept === undefined || this.#prng.oneIn(RENEWED_ONE_IN)) {
      kept = this.#make();
      this.#corpus[at] = kept;
    }
    const frame = Buffer.from(kept);
    frame.writeInt32BE(correlationId, CORRELATION_ID_AT);
    return frame;
  }

  #make(): Buffer {
    const { apiKey, minVersion, maxVersion } = this.#prng.pick(this.#lots);
    const version = minVersion + this.#prng.integer(maxVersion - minVersion + 1);
    const fields = schemas.get(apiKey)?.request.fields ?? [];
    return requestFrame(apiKey, version, 0, this.#struct(fields, version, 3));
  }

  #struct(fields: readonly FieldSchema[], version: number, lengthMax: number): Record<string, unknown> {
    const message: Record<string, unknown> = {};
    for (const field of fields) {
      if (!includesVersion(parseVersions(field.versions), version)) continue;
      if (field.tag !== undefined && !this.#prng.oneIn(4)) continue;
      message[field.name] = this.#field(field, version, lengthMax);
    }
    return message;
  }

  #field(field: FieldSchema, version: number, lengthMax: number): unknown {
    const isNullable = includesVersion(parseVersions(field.nullable ?? "none"), version);
    if (isNullable && this.#prng.oneIn(field.name === "transactionalId" ? 2 : 6)) return null;
    const { name, type } = field;
    const one = (): unknown =>
      typeof type === "string"
        ? this.#values.value(name, type)
        : this.#struct(type.fields, version, Math.max(1, lengthMax - 1));
    if (field.kind !== "primitives" && field.kind !== "structs") return one();
    const length = this.#prng.oneIn(40) ? 50 : this.#prng.integer(lengthMax + 1);
    return Array.from({ length }, one);
  }
}
