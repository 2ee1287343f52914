import { KaasError } from "@kaas/core";
import { type PartitionPlace, type TopicView, VolumeInspection } from "@kaas/storage";
import { parseAddresses } from "./client/broker-address.js";
import { DEFAULT_SETTINGS } from "./client/client-settings.js";
import { readCommandConfig } from "./client/command-config.js";
import { KafkaClient } from "./client/kafka-client.js";
import { readTextFile } from "./client/read-text-file.js";
import { Output, type OutputFormat } from "./output/output.js";
import { ProgressBar } from "./output/progress-bar.js";
import { type Style, styleFor } from "./output/style.js";
import type { SourceChoice } from "./source-choice.js";
import type { Surroundings } from "./surroundings.js";
import { UsageError } from "./usage-error.js";
import { chosenVolume } from "./volume-choice.js";

/** Exit codes: all is well, something is wrong with the volume or the cluster, it was called wrongly. */
export const EXIT = { SOUND: 0, UNSOUND: 1, USAGE: 2 } as const;
/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What every command takes. */
export interface GlobalOptions {
  readonly source: SourceChoice;
  /** Whether brokers can be asked the same. */
  readonly isLiveToo: boolean;
  readonly format: OutputFormat;
}

/** What a command does, once it is known which. */
export type Action = (session: Session) => Promise<ExitCode>;

/** One run of a command: the volume or the brokers it looks at, and where its results go. */
export class Session {
  readonly surroundings: Surroundings;
  readonly output: Output;
  readonly style: Style;
  readonly #source: SourceChoice;
  readonly #isLiveToo: boolean;
  #client: KafkaClient | undefined;

  constructor(surroundings: Surroundings, { source, isLiveToo, format }: GlobalOptions) {
    this.surroundings = surroundings;
    this.output = new Output(format, surroundings.out);
    this.style = styleFor(surroundings, surroundings.out);
    this.#source = source;
    this.#isLiveToo = isLiveToo;
  }

  /** The volume, whatever is wrong with it: for commands that tell what that is. */
  async inspect(): Promise<VolumeInspection> {
    const source = this.#source;
    const chosen = source.kind === "volume" ? chosenVolume(source.volume, this.surroundings.environment) : undefined;
    if (chosen === undefined) throw new UsageError(`which volume? ${whereToLook(this.surroundings, this.#isLiveToo)}`);
    try {
      return await VolumeInspection.open(chosen);
    } catch (error) {
      if (error instanceof KaasError && error.code === "KAAS_CONFIG_INVALID") throw new UsageError(error.message);
      throw error;
    }
  }

  /** The volume, if this version knows its format. */
  async open(): Promise<VolumeInspection> {
    const inspection = await this.inspect();
    await inspection.cluster();
    return inspection;
  }

  /**
   * The brokers that were named.
   *
   * @throws ClusterError when none of them can be reached
   */
  async connect(): Promise<KafkaClient> {
    if (this.#source.kind !== "brokers") throw new UsageError("which brokers? Give --bootstrap-server HOST:PORT");
    const { bootstrapServer, commandConfig } = this.#source.brokers;
    const addresses = parseAddresses(bootstrapServer);
    const settings =
      commandConfig === undefined ? DEFAULT_SETTINGS : await readCommandConfig(commandConfig, readTextFile);
    this.#client = await KafkaClient.connect(addresses, settings, this.surroundings.random);
    return this.#client;
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    await this.#client?.close();
  }

  progressBar(): ProgressBar {
    return new ProgressBar(this.surroundings);
  }
}

function whereToLook({ environment }: Surroundings, isLiveToo: boolean): string {
  const live = isLiveToo ? "; or ask brokers: --bootstrap-server HOST:PORT" : "";
  const given = `Give --data-dir DIR, or set KAAS_DATA_DIR${live}`;
  if ((environment["KUBERNETES_SERVICE_HOST"] ?? "") === "") return given;
  return `${given}. This pod may not have it: kubectl exec POD -c broker -- kaasctl ... runs it in a broker's pod, and kubectl kaas ... does so from where kubectl works`;
}

/** @throws UsageError when the volume has no such topic. */
export async function topicNamed(inspection: VolumeInspection, name: string): Promise<TopicView> {
  const topic = await inspection.topic(name);
  if (topic === undefined) throw new UsageError(`there is no topic ${name} in ${inspection.directory}`);
  return topic;
}

/** @throws UsageError when the topic has no such partition. */
export function partitionOf(topic: TopicView, partition: number): PartitionPlace {
  const place = topic.partitions.find((one) => one.partition === partition);
  if (place !== undefined) return { topic: topic.name, ...place };
  const there = topic.partitions.map((one) => one.partition).join(", ");
  throw new UsageError(`topic ${topic.name} has no directory of partition ${partition}; it has ${there || "none"}`);
}
