import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi, KubernetesObject } from "@kaas/k8s";
import { EVENTS } from "../kubernetes/resources.js";

/** Who speaks in Events. */
export const CONTROLLER_NAME = "kaas.rs/operator";

/** What the API server takes of a note, in bytes. */
const NOTE_BYTES_MAX = 1_024;
/** So much of an object's name is the beginning of its Events'. */
const NAME_LENGTH_MAX = 200;

export interface EventRecorderOptions {
  readonly api: KubernetesApi;
  /** This process, among those that may run. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Something that happened to an object, for those who describe it. */
export interface Happening {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
  /** What was done, or was to be done, in one word. */
  readonly action: string;
}

/** Writes Events. They are for people: one that cannot be written is named in the log, and nothing waits for it. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #writing = new Set<Promise<void>>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(object: KubernetesObject, { type, reason, note, action }: Happening): void {
    const { api, instance, clock, random, log } = this.#options;
    const { name, namespace = "", uid } = object.metadata;
    const event = {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: `${beginningOf(name)}.${Buffer.from(random.uuid()).toString("hex").slice(0, 16)}`, namespace },
      eventTime: `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`,
      reportingController: CONTROLLER_NAME,
      reportingInstance: instance,
      action,
      reason,
      type,
      note: fitting(note),
      regarding: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid },
    };
    const writing = api
      .create(EVENTS, event)
      .then(
        () => undefined,
        (error: unknown) => log.debug({ err: error, reason }, `an Event about ${object.kind} ${name} was not written`),
      )
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Resolves when all that was recorded is written, or not. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing);
  }
}

/** A name that is cut off must not end with what only stands between letters. */
function beginningOf(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX).replace(/[-.]+$/, "");
}

/** As many whole characters as there is room for. */
function fitting(note: string): string {
  const bytes = Buffer.from(note, "utf8");
  let end = Math.min(bytes.length, NOTE_BYTES_MAX);
  while (end < bytes.length && isInsideCharacter(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
