import { silentLog } from "@kaas/core";
import { KAFKA_CLUSTERS, KAFKA_TOPICS, KAFKA_USERS, type KubernetesObject } from "@kaas/k8s";
import {
  type Condition,
  formatProblems,
  type KafkaCluster,
  type KafkaTopic,
  type KafkaUser,
  validateResource,
} from "@kaas/operator-api";
import { AclsFile, CredentialsFile, ExternalAddressesFile, MemoryFileSystem, TopicDirectories } from "@kaas/storage";
import { FakeKubernetesApi } from "../../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import { TestClock, TestRandom } from "../../../packages/kaas-storage/src/testing/test-clock.js";
import type { Operator } from "../src/leading/operator.js";
import { type OpenOperatorOptions, openOperator } from "../src/open-operator.js";

export const NAMESPACE = "kaas";
const TURNS_MAX = 5_000;
const STILL_TURNS = 20;
const STEP_MS = 2_000;

/** An operator at work, with the API server and the volume that it works on. */
export class OperatorHarness {
  readonly clock: TestClock = new TestClock();
  readonly api: FakeKubernetesApi = new FakeKubernetesApi({ clock: this.clock, admit });
  readonly fileSystem: MemoryFileSystem = new MemoryFileSystem();
  readonly #random = new TestRandom();
  readonly #operators: Operator[] = [];
  #names = 0;

  static async create({ hasCluster = true } = {}): Promise<OperatorHarness> {
    const harness = new OperatorHarness();
    for (const path of ["/data", "/data/__cluster", "/fast"]) await harness.fileSystem.makeDirectory(path);
    if (hasCluster) await harness.createCluster({});
    return harness;
  }

  get directories(): TopicDirectories {
    const { fileSystem } = this;
    return new TopicDirectories({
      directory: "/data",
      furtherDirectories: ["/fast"],
      fileSystem,
      random: this.#random,
    });
  }

  get credentials(): CredentialsFile {
    return new CredentialsFile({ fileSystem: this.fileSystem, random: this.#random }, "/data/__cluster");
  }

  get acls(): AclsFile {
    return new AclsFile({ fileSystem: this.fileSystem, random: this.#random }, "/data/__cluster");
  }

  get addresses(): ExternalAddressesFile {
    return new ExternalAddressesFile({ fileSystem: this.fileSystem, random: this.#random }, "/data/__cluster");
  }

  /** Starts an operator, and waits until it has done what there is to do. */
  async start(more: Pick<OpenOperatorOptions, "clusterDirectory"> = {}): Promise<Operator> {
    const operator = await openOperator({
      api: this.api,
      namespace: NAMESPACE,
      clusterName: "kaas",
      identity: `operator-${++this.#names}`,
      dataDirectory: "/data",
      furtherDirectories: ["/fast"],
      log: silentLog,
      clock: this.clock,
      random: this.#random,
      fileSystem: this.fileSystem,
      ...more,
    });
    this.#operators.push(operator);
    operator.start();
    await this.settle();
    return operator;
  }

  async stop(): Promise<void> {
    for (const operator of this.#operators) await operator.stop();
    this.api.close();
  }

  /** Waits until nothing happens any more without time passing. */
  async settle(): Promise<void> {
    let calls = -1;
    for (let turns = 0, still = 0; still < STILL_TURNS; turns++) {
      if (turns > TURNS_MAX) throw new Error("the operator does not come to rest");
      for (const operator of this.#operators) if (operator.isReady) await operator.idle();
      await new Promise((resolve) => setImmediate(resolve));
      const isStill = this.api.calls.length === calls && this.api.collectGarbage() === 0;
      still = isStill ? still + 1 : 0;
      calls = this.api.calls.length;
    }
  }

  /** Lets time pass, and what is due then happen; in steps, so that Leases can be renewed. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(Math.min(left, STEP_MS));
      await this.settle();
    }
  }

  async createTopic(name: string, spec: object = {}, more: object = {}): Promise<KafkaTopic> {
    const metadata = { name, namespace: NAMESPACE, ...more };
    const topic = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaTopic", metadata, spec } as unknown as KafkaTopic;
    const created = await this.api.create(KAFKA_TOPICS, topic);
    await this.settle();
    return created;
  }

  async createUser(name: string, spec: object): Promise<KafkaUser> {
    const metadata = { name, namespace: NAMESPACE };
    const user = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaUser", metadata, spec } as unknown as KafkaUser;
    const created = await this.api.create(KAFKA_USERS, user);
    await this.settle();
    return created;
  }

  async createCluster(spec: object): Promise<KafkaCluster> {
    const listeners = [{ name: "plain", port: 9092, type: "internal" }];
    const metadata = { name: "kaas", namespace: NAMESPACE };
    const whole = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaCluster", metadata, spec: { listeners, ...spec } };
    const created = await this.api.create(KAFKA_CLUSTERS, whole as unknown as KafkaCluster);
    await this.settle();
    return created;
  }

  topic(name: string): KafkaTopic | undefined {
    return this.api.peek(KAFKA_TOPICS, { name, namespace: NAMESPACE });
  }

  user(name: string): KafkaUser | undefined {
    return this.api.peek(KAFKA_USERS, { name, namespace: NAMESPACE });
  }

  cluster(): KafkaCluster | undefined {
    return this.api.peek(KAFKA_CLUSTERS, { name: "kaas", namespace: NAMESPACE });
  }

  async names(path: string): Promise<readonly string[]> {
    return (await this.fileSystem.list(path)).map(({ name }) => name).sort();
  }
}

/** Custom resources get their defaults, and are refused as an API server refuses them. */
function admit(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject | string {
  if (!object.apiVersion.startsWith("kaas.rs/")) return object;
  const result = validateResource(object, before);
  if (!result.ok) return formatProblems(result.problems);
  return { ...object, ...result.resource, metadata: object.metadata };
}

/** The condition Ready of a resource, in short. */
export function readyOf(
  object: { readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined } | undefined,
): string {
  const ready = object?.status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined ? "no condition" : `${ready.status} ${ready.reason}: ${ready.message}`;
}
