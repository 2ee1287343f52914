import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import { until } from "./cluster.js";

const API = "/apis/kaas.rs/v1alpha1";
const READY_MS = 120_000;
/** What a partition leaves where it was. */
const LEFT = /^\d{8}\.(seal|moved)$/;

interface KafkaTopicStatus {
  readonly volumeAssignments?: readonly { readonly partition: number; readonly volume: string }[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

/** A topic whose partitions are moved as an operator of the cluster would: by its KafkaTopic. */
export class MovingTopic {
  readonly name: string;
  readonly #plane: ControlPlane;
  readonly #namespace: string;
  readonly #volumes: string;

  /** @param volumes the directory that has the volumes, each under its name */
  constructor(plane: ControlPlane, namespace: string, volumes: string, name: string) {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#volumes = volumes;
    this.name = name;
  }

  /** Resolves when the topic is made. */
  async create(partitions: number, volume: string): Promise<void> {
    const object = {
      apiVersion: "kaas.rs/v1alpha1",
      kind: "KafkaTopic",
      metadata: { name: this.name },
      spec: { partitions, storage: { volumes: [volume] } },
    };
    await this.#plane.ask("POST", `${API}/namespaces/${this.#namespace}/kafkatopics`, JSON.stringify(object));
    await until(async () => (await this.#reasonOf("Ready")) === "Ready", READY_MS);
  }

  async remove(): Promise<void> {
    await this.#plane.ask("DELETE", this.#path);
  }

  /** `kubectl annotate kafkatopic NAME kaas.rs/migrate-to=TEXT --overwrite`. */
  async annotate(text: string): Promise<void> {
    const patch = { metadata: { annotations: { "kaas.rs/migrate-to": text } } };
    await this.#plane.ask("PATCH", this.#path, JSON.stringify(patch), "application/merge-patch+json");
  }

  /** Resolves when the KafkaTopic says that all are where they were wanted. */
  async moved(wanted: ReadonlyMap<number, string>): Promise<void> {
    await until(async () => {
      const { volumeAssignments = [] } = await this.#status();
      const isThere = ({ partition, volume }: { partition: number; volume: string }): boolean =>
        (wanted.get(partition) ?? volume) === volume;
      return (await this.#reasonOf("Migration")) === "Moved" && volumeAssignments.every(isThere);
    }, READY_MS);
  }

  /** The reasons of the Events about it, in no order. */
  async events(): Promise<string[]> {
    const text = await this.#plane.ask("GET", `/apis/events.k8s.io/v1/namespaces/${this.#namespace}/events`);
    const { items } = JSON.parse(text) as {
      items: { readonly reason: string; readonly regarding?: { readonly kind: string; readonly name: string } }[];
    };
    return items
      .filter(({ regarding }) => regarding?.kind === "KafkaTopic" && regarding.name === this.name)
      .map(({ reason }) => reason);
  }

  /** The names of a partition's files on a volume. */
  filesOf(partition: number, volume: string): string[] {
    try {
      return readdirSync(join(this.#volumes, volume, this.name, `${partition}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  /** Whether its log is on one volume, and on the other what says so, and nothing else. */
  liesOn(partition: number, volume: string, notOn: string): boolean {
    const isThere = this.filesOf(partition, volume).some((name) => name.endsWith(".log"));
    const left = this.filesOf(partition, notOn);
    return isThere && left.length <= 2 && left.every((name) => LEFT.test(name));
  }

  /** Whether a volume has anything of it. */
  isOn(volume: string): boolean {
    return readdirSync(join(this.#volumes, volume)).some((name) => name === this.name);
  }

  get #path(): string {
    return `${API}/namespaces/${this.#namespace}/kafkatopics/${this.name}`;
  }

  async #status(): Promise<KafkaTopicStatus> {
    const { status = {} } = JSON.parse(await this.#plane.ask("GET", this.#path)) as { status?: KafkaTopicStatus };
    return status;
  }

  async #reasonOf(type: string): Promise<string | undefined> {
    return (await this.#status()).conditions?.find((condition) => condition.type === type)?.reason;
  }
}
