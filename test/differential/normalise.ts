// An answer as it may be held beside another broker's: error codes by name, and what differs from run to run (ids,
// ports, times, member ids) by the order in which it was first seen.
import { ErrorCode } from "../../packages/kaas-core/src/errors/error-codes.js";
import { ZERO_UUID } from "../../packages/kaas-core/src/wire/reader.js";
import { describeBatches } from "./describe-batches.js";

/** What an answer consists of once it is normalised. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

const errorNames = new Map(Object.entries(ErrorCode).map(([name, code]) => [code as number, name]));
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What a client may take for the present. */
const NOW_MS = 15 * 60_000;
/** Fields that name an element of an array, the most telling first. */
const IDS = ["topic", "name", "topicName", "partitionIndex", "partition", "index", "configName", "resourceName"];
const MORE_IDS = [
  "user",
  "groupId",
  "key",
  "memberId",
  "nodeId",
  "apiKey",
  "brokerId",
  "topicId",
  "timestamp",
  "logDir",
];
/** Sizes and places that no two machines share. */
const OF_THE_MACHINE = new Set(["totalBytes", "usableBytes", "size", "partitionSize", "logDir"]);
const SESSION_WORDS = new Set(["sessionId", "producerId"]);

export function errorName(code: number): string {
  return errorNames.get(code) ?? String(code);
}

/** The id of an element among its siblings, or undefined if its place is all there is. */
export function elementId(element: Plain): string | undefined {
  if (element === null || typeof element !== "object" || Array.isArray(element)) return undefined;
  const fields = element as { readonly [name: string]: Plain };
  for (const name of [...IDS, ...MORE_IDS]) {
    const id = fields[name];
    if (typeof id === "number" || (typeof id === "string" && id !== "")) return String(id);
  }
  return undefined;
}

export class Normaliser {
  readonly #port: number;
  readonly #run: string;
  readonly #words = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `run` is in the names of this run alone and is taken out of them. */
  constructor(port: number, run: string) {
    this.#port = port;
    this.#run = run;
  }

  /** From now on `value` is read as `word`. */
  learn(value: string, word: string): void {
    this.#words.set(value, word);
  }

  plain(value: unknown, field = ""): Plain {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return this.#string(value, field);
    if (typeof value === "number") return this.#number(value, field);
    if (typeof value === "bigint") return this.#number(Number(value), field);
    if (typeof value === "boolean") return value;
    if (Buffer.isBuffer(value)) {
      return field === "records" ? this.plain(describeBatches(value), "batches") : value.toString("latin1");
    }
    if (Array.isArray(value)) return this.#array(value, field);
    return this.#struct(value as Readonly<Record<string, unknown>>);
  }

  #struct(value: Readonly<Record<string, unknown>>): Plain {
    const plain: Record<string, Plain> = {};
    for (const [name, of] of Object.entries(value)) plain[name] = this.plain(of, name);
    return plain;
  }

  /** Brokers answer in the order of their maps; elements with ids are put in the order of these. */
  #array(values: readonly unknown[], field: string): Plain {
    const plain = values.map((value) => this.plain(value, field));
    if (typeof values[0] === "number" || field === "batches" || field === "list") return plain;
    const keyed = plain.map((element) => [elementId(element) ?? "", element] as const);
    const order = keyed.map(([id, element]) => [`${id} ${JSON.stringify(element)}`, element] as const);
    order.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return order.map(([, element]) => element);
  }

  #string(value: string, field: string): Plain {
    if (/errorMessage$/i.test(field)) return value === "" ? "" : "(said)";
    if (field === "documentation") return "(documented)";
    if (field === "clusterId") return "(cluster)";
    if (OF_THE_MACHINE.has(field)) return `(${field})`;
    const known = this.#words.get(value);
    if (known !== undefined) return known;
    if (value === ZERO_UUID) return "(no id)";
    if (field === "topicId") return "(a topic id)";
    return value.replaceAll(this.#run, "").replace(UUID, (uuid) => this.#token("id", uuid));
  }

  #number(value: number, field: string): Plain {
    if (/errorCode$/i.test(field)) return errorName(value);
    if (field === "throttleTimeMs") return value === 0 ? 0 : "(throttled)";
    if (OF_THE_MACHINE.has(field)) return value < 0 ? value : `(${field})`;
    if (field === "port" && value === this.#port) return "(port)";
    if (field === "sessionId" && value === 0) return 0;
    if (SESSION_WORDS.has(field) && value >= 0) return this.#token(field, String(value));
    if (/timestamp|timeMs$/i.test(field) && Math.abs(Date.now() - value) < NOW_MS) return "(now)";
    return value;
  }

  #token(kind: string, value: string): string {
    const key = `${kind} ${value}`;
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const word = `(${kind} ${count})`;
    this.#words.set(key, word);
    return word;
  }
}
