import type { Log } from "@kaas/core";
import { KAFKA_TOPICS } from "@kaas/k8s";
import { type KafkaTopic, topicNameOf } from "@kaas/operator-api";
import { isStill, reconcileBySteps, type Step } from "../reconciling/steps.js";
import { OUTDATED, type Turn } from "../reconciling/work-queue.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import { migrationVerdict, movesOf } from "./topic-migration.js";
import type { TopicRun, TopicSurroundings } from "./topic-run.js";

/** How often a topic is looked at when nothing happens. */
export const TOPIC_INTERVAL_MS = 300_000;
/** How often while partitions are to be moved: brokers do that, and say so on the volume. */
const MOVING_INTERVAL_MS = 2_000;

export interface TopicReconcilerOptions {
  readonly steps: readonly Step<TopicRun>[];
  readonly reporter: StatusReporter;
  readonly find: (name: string) => KafkaTopic | undefined;
  readonly surroundings: () => TopicSurroundings;
  /** Told of a topic whose KafkaTopic went during its turn, which may have made directories after it had gone. */
  readonly gone: (topicName: string, topicId: string) => void;
  /** Whether this process still leads. */
  readonly leads: () => boolean;
  readonly log: Log;
}

/** Makes topics on the volume what their KafkaTopics say. */
export class TopicReconciler {
  readonly #options: TopicReconcilerOptions;

  constructor(options: TopicReconcilerOptions) {
    this.#options = options;
  }

  /** @param objectName the KafkaTopic's name */
  async reconcile(objectName: string): Promise<Turn> {
    const { find, surroundings, steps, leads } = this.#options;
    const object = find(objectName);
    // One that is being deleted is left as it is: what happens to it is decided once it is gone.
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    const run: TopicRun = { object, name: topicNameOf(object), surroundings: surroundings() };
    const outcome = await reconcileBySteps({
      steps,
      run,
      goesOn: () => leads() && isStill(object, find(objectName)),
      whenDone: () => this.#reportReady(run),
      whenRefused: ({ reason, message }) => this.#report(run, reason, message),
    });
    if (outcome === "outdated") return OUTDATED;
    const isGone = find(objectName)?.metadata.uid !== object.metadata.uid;
    if (isGone && run.topicId !== undefined) this.#options.gone(run.name, run.topicId);
    if (outcome === "stopped") return {};
    const isMoving = movesOf(run.migration, run.volumes ?? [], "").size > 0;
    return { againAfterMs: isMoving ? MOVING_INTERVAL_MS : TOPIC_INTERVAL_MS };
  }

  async #reportReady(run: TopicRun): Promise<void> {
    const { volumes = [], object, migration } = run;
    const partitions = volumes.length === 1 ? "1 partition" : `${volumes.length} partitions`;
    const message = `${partitions} on ${[...new Set(volumes)].sort().join(", ")}`;
    const verdict = { isReady: true, reason: "Ready", message };
    const also = { Migration: migrationVerdict(migration, volumes) };
    await this.#options.reporter.report(KAFKA_TOPICS, object, verdict, { partitionCount: volumes.length }, also);
  }

  async #report({ object, name }: TopicRun, reason: string, message: string): Promise<void> {
    this.#options.log.info({ topic: name, reason }, `KafkaTopic ${object.metadata.name}: ${message}`);
    await this.#options.reporter.report(KAFKA_TOPICS, object, { isReady: false, reason, message });
  }
}
