import { apiSchemas } from "../../packages/kaas-core/src/messages/api-schemas.js";
import {
  type FieldSchema,
  includesVersion,
  parseVersions,
  type PrimitiveType,
} from "../../packages/kaas-core/src/messages/schema.js";
import { RawClient, requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import { ARRAY_ELEMENTS_MAX } from "../../packages/kaas-core/src/wire/limits.js";
import type { ServedVersions } from "./fuzz-requests.js";
import type { ProcessWatch } from "./process-watch.js";
import type { Report } from "./report.js";

/** What the arrays on the way to the largest one take of the limit. */
const LENGTH = ARRAY_ELEMENTS_MAX - 3;
/** How long a broker may work before it looks at another's question: far less than by anything of quadratic time. */
const WORKED_MS_MAX = 15_000;
/** How long anybody waits on a machine that does much else. */
const PATIENCE_MS = 300_000;
/** Between two looks at a broker that does not answer. */
const LOOK_MS = 100;
/** Between two questions after the broker's health. */
const PAUSE_MS = 10;
/** A request that has no answer by then waits for something, such as other members of its group. */
const WAIT_MS = 5000;

/** Where an array lies in a message: the names of the fields on the way to it. */
type Path = readonly string[];

/**
 * For each array in a request of each API: a request in which it is as long as may be, once with elements that are all
 * the same and once with elements that all differ. A broker that takes more than proportional time over one of them
 * serves nobody else meanwhile.
 */
export class LargestRequests {
  readonly #port: number;
  readonly #watch: ProcessWatch;
  readonly #report: Report;
  #longestWorkMs = 0;

  constructor(port: number, watch: ProcessWatch, report: Report) {
    this.#port = port;
    this.#watch = watch;
    this.#report = report;
  }

  async run(apis: readonly ServedVersions[]): Promise<void> {
    for (const { apiKey, maxVersion } of apis) {
      const schema = apiSchemas.find(({ key }) => key === apiKey);
      if (schema === undefined) continue;
      for (const path of arraysOf(schema.request.fields, maxVersion, [])) {
        await this.#report.attempt(
          `${schema.name} with ${LENGTH} ${path.join(".")} does not keep others waiting`,
          async () => {
            for (const distinct of [false, true]) {
              const message = largest(schema.request.fields, maxVersion, path, distinct);
              await this.#send(requestFrame(apiKey, maxVersion, 1, message));
            }
          },
        );
      }
    }
    this.#report.note(`others waited while it worked for ${this.#longestWorkMs.toFixed(0)} ms at most`);
  }

  /** Asks after the broker's health until the request is answered or refused, or turns out to wait for something. */
  async #send(frame: Buffer): Promise<void> {
    const [client, other] = [await RawClient.connect(this.#port), await RawClient.connect(this.#port)];
    let isOver = false;
    void client.frame().then(() => (isOver = true));
    client.send(frame);
    const beganAt = performance.now();
    try {
      do {
        other.request(18, 0, 2, {});
        await this.#answered(other);
        await pause(PAUSE_MS);
      } while (!isOver && performance.now() - beganAt < WAIT_MS);
    } finally {
      client.close();
      other.close();
    }
  }

  async #answered(client: RawClient): Promise<void> {
    const [beganAt, workedMs] = [performance.now(), this.#watch.workedMs()];
    const answer = client.frame().then(() => true);
    for (let isAnswered = false; !isAnswered; ) {
      isAnswered = await Promise.race([answer, pause(LOOK_MS)]);
      const workMs = this.#watch.workedMs() - workedMs;
      this.#longestWorkMs = Math.max(this.#longestWorkMs, workMs);
      if (workMs > WORKED_MS_MAX) throw new Error(`another client waited while it worked for ${workMs.toFixed(0)} ms`);
      if (performance.now() - beganAt > PATIENCE_MS) throw new Error(`another client waited for ${PATIENCE_MS} ms`);
    }
  }
}

function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}

const isArray = ({ kind }: FieldSchema): boolean => kind === "primitives" || kind === "structs";
const isSent = (field: FieldSchema, version: number): boolean =>
  field.tag === undefined && includesVersion(parseVersions(field.versions), version);

function arraysOf(fields: readonly FieldSchema[], version: number, above: Path): Path[] {
  return fields
    .filter((field) => isSent(field, version))
    .flatMap((field) => {
      const path = [...above, field.name];
      const below = typeof field.type === "string" ? [] : arraysOf(field.type.fields, version, path);
      return isArray(field) ? [path, ...below] : below;
    });
}

/** A message whose array at `path` is as long as may be; those above it have one element, all others none. */
function largest(fields: readonly FieldSchema[], version: number, path: Path, distinct: boolean): unknown {
  const message: Record<string, unknown> = {};
  for (const field of fields) {
    if (isSent(field, version)) message[field.name] = valueOf(field, version, path, distinct);
  }
  return message;
}

function valueOf(field: FieldSchema, version: number, path: Path, distinct: boolean): unknown {
  const isOnPath = field.name === path[0];
  const below = isOnPath ? path.slice(1) : [];
  const element = (index: number): unknown =>
    typeof field.type === "string"
      ? primitive(field.type, index)
      : fill(largest(field.type.fields, version, below, distinct), index);
  if (!isArray(field)) return element(0);
  if (!isOnPath) return [];
  if (below.length > 0) return [element(0)];
  return Array.from({ length: LENGTH }, (_, index) => element(distinct ? index + 1 : 0));
}

/** Gives the strings and ids of a struct another value for each index but 0. */
function fill(struct: unknown, index: number): unknown {
  if (index === 0) return struct;
  const message = struct as Record<string, unknown>;
  for (const [name, value] of Object.entries(message)) {
    if (typeof value === "string") message[name] = value.length === 22 ? uuid(index) : `n${index}`;
  }
  return message;
}

function primitive(type: PrimitiveType, index: number): unknown {
  switch (type) {
    case "string":
      return index === 0 ? "n" : `n${index}`;
    case "uuid":
      return uuid(index);
    case "bool":
      return false;
    case "bytes":
    case "records":
      return Buffer.alloc(0);
    case "float64":
      return index;
    default:
      return index % 128;
  }
}

function uuid(index: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(index, 12);
  return bytes.toString("base64url");
}
