import { assert } from "../errors/kaas-error.js";
import type { ApiCodec } from "../messages/api-codec.js";
import { apiCodecs } from "../messages/generated/index.js";
import type { AnyApiHandler } from "./api-handler.js";
import { apiAuthorizations, guarded } from "./authorization.js";

/** One served API: its handler and the codec of the same key. */
export interface ServedApi {
  readonly handler: AnyApiHandler;
  readonly codec: ApiCodec;
  /** What ApiVersions says; lower than the handler's own minimum only where clients need that. */
  readonly advertisedMin: number;
}

/**
 * Oldest versions that are advertised although they are refused. librdkafka before 2.8 turns off compression unless
 * Produce 0 is on offer, so Apache Kafka 4.x goes on offering it (KAFKA-18659).
 */
const ADVERTISED_MIN: ReadonlyMap<number, number> = new Map([[0, 0]]);

/** What is served, by API key. ApiVersions and the documentation's table are computed from this. */
export class ApiRegistry {
  readonly #byKey: (ServedApi | undefined)[] = [];

  constructor(handlers: readonly AnyApiHandler[]) {
    const codecs = new Map(apiCodecs.map((codec) => [codec.key, codec]));
    for (const handler of handlers) {
      const codec = codecs.get(handler.key);
      assert(codec !== undefined, `API key ${handler.key} has a schema`);
      assert(this.#byKey[handler.key] === undefined, `API key ${handler.key} has one handler`);
      assert(
        codec.versionMin <= handler.versionMin && handler.versionMax <= codec.versionMax,
        `${codec.name} ${handler.versionMin}-${handler.versionMax} lies within its schema`,
      );
      const advertisedMin = ADVERTISED_MIN.get(handler.key) ?? handler.versionMin;
      const authorization = apiAuthorizations.get(handler.key);
      assert(authorization !== undefined, `${codec.name} says what it asks of its clients`);
      this.#byKey[handler.key] = { handler: guarded(handler, authorization), codec, advertisedMin };
    }
  }

  lookup(key: number): ServedApi | undefined {
    return this.#byKey[key];
  }

  /** In the order of keys. */
  all(): ServedApi[] {
    return this.#byKey.filter((api) => api !== undefined);
  }
}
