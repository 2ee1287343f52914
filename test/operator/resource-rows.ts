import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KAFKA_CLUSTER_ASSIGNMENTS, KAFKA_CLUSTERS, KAFKA_TOPICS, KAFKA_USERS, type Resource } from "@kaas/k8s";
import type { KafkaTopic } from "@kaas/operator-api";
import { until } from "../lib/until.js";
import type { Site } from "./site.js";

const core = (kind: string, plural: string): Resource => ({
  group: "",
  version: "v1",
  kind,
  plural,
  isNamespaced: true,
});
export const SECRETS: Resource = core("Secret", "secrets");
const SERVICES = core("Service", "services");
const EVENTS: Resource = { ...core("Event", "events"), group: "events.k8s.io" };

const READY = /^True/;

export async function topics(site: Site): Promise<string> {
  await site.cluster();
  await site.start();
  await site.create(KAFKA_TOPICS, "orders", { partitions: 3, config: { "retention.ms": 1000 } });
  await site.ready(KAFKA_TOPICS, "orders", READY);
  const first = (await site.find(KAFKA_TOPICS, "orders")) as KafkaTopic;
  const directory = join(site.volume, "data", "orders");
  expect(
    readFileSync(join(directory, ".topic-id.json"), "utf8").includes(`${first.status?.topicId}`),
    "another id on the volume",
  );
  const config = readFileSync(join(directory, ".config.json"), "utf8");

  const lowered = await site.merge(KAFKA_TOPICS, "orders", { spec: { partitions: 2 } }).then(
    () => "taken",
    (error: unknown) => (error as Error).message,
  );
  expect(lowered.includes("can be raised, but not lowered"), `fewer partitions: ${lowered}`);
  expect(readFileSync(join(directory, ".config.json"), "utf8") === config, "the configuration was touched");

  await site.merge(KAFKA_TOPICS, "orders", { spec: { partitions: 5 } });
  await until(
    "two partitions more",
    async () => (await site.find(KAFKA_TOPICS, "orders"))?.status?.partitionCount === 5,
  );
  await site.remove(KAFKA_TOPICS, "orders");
  await until("the directory is gone", () =>
    readdirSync(join(site.volume, "data")).every((name) => name === "__cluster"),
  );
  await site.create(KAFKA_TOPICS, "orders", {});
  await site.ready(KAFKA_TOPICS, "orders", READY);
  const second = (await site.find(KAFKA_TOPICS, "orders")) as KafkaTopic;
  expect(second.status?.topicId !== first.status?.topicId, "a topic that is made again has the same id");
  let events = 0;
  await until("an Event is written", async () => {
    events = (await site.admin.list(EVENTS, { namespace: site.namespace })).items.length;
    return events > 0;
  });
  return `${events} Events`;
}

export async function users(site: Site): Promise<string> {
  await site.cluster();
  await site.start();
  const authentication = {
    type: "scram-sha-512",
    password: { valueFrom: { secretKeyRef: { name: "given", key: "pw" } } },
  };
  await site.create(KAFKA_USERS, "parked", { authentication });
  await site.ready(KAFKA_USERS, "parked", /SecretMissing/);
  await site.quiet();
  const before = site.calls.length;
  await sleep(5_000);
  const calls = site.calls.slice(before).filter((call) => !call.includes("leases"));
  expect(calls.length === 0, `a parked user costs ${calls.length} calls in 5 s: ${calls.join(", ")}`);

  const metadata = { name: "given", namespace: site.namespace };
  const data = { pw: Buffer.from("secret").toString("base64") };
  await site.admin.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata, data } as never);
  await site.ready(KAFKA_USERS, "parked", READY);
  const own = (await site.find(SECRETS, "parked-kafka-credentials")) as { data?: Record<string, string> } | undefined;
  const jaas = Buffer.from(own?.data?.["sasl.jaas.config"] ?? "", "base64").toString();
  expect(jaas.includes('password="secret"'), `sasl.jaas.config is ${jaas}`);
  const credentials = join(site.volume, "data/__cluster/credentials.json");
  expect(readFileSync(credentials, "utf8").includes('"parked"'), "credentials.json does not have the user");
  await site.remove(KAFKA_USERS, "parked");
  await until("the user is gone", () => !readFileSync(credentials, "utf8").includes('"parked"'));
  await until("its Secret is gone", async () => (await site.find(SECRETS, "parked-kafka-credentials")) === undefined);
  return "parked without a call";
}

export async function clusters(site: Site): Promise<string> {
  await site.start();
  await site.cluster({
    replicas: 2,
    listeners: [
      { name: "plain", port: 9092, type: "internal" },
      { name: "ports", port: 9094, type: "nodeport" },
      {
        name: "lb",
        port: 9095,
        type: "loadbalancer",
        configuration: { brokerHostTemplate: "b{nodeId}.example.com", bootstrapHost: "b.example.com" },
      },
    ],
  });
  await site.ready(KAFKA_CLUSTERS, "kaas", READY);
  const names = async () =>
    (await site.admin.list(SERVICES, { namespace: site.namespace })).items.map(({ metadata }) => metadata.name).sort();
  const wanted = ["lb", "ports"].flatMap((listener) => ["0", "1", "bootstrap"].map((end) => `kaas-${listener}-${end}`));
  expect((await names()).join() === wanted.join(), `Services are ${(await names()).join()}`);
  await until("the brokers are told", () => existsSync(join(site.volume, "data/__cluster/external-addresses.json")));
  expect((await site.find(KAFKA_CLUSTER_ASSIGNMENTS, "kaas")) !== undefined, "no KafkaClusterAssignments");
  await site.merge(KAFKA_CLUSTERS, "kaas", { spec: { replicas: 1 } });
  await until("Services of the broker that is gone go", async () => (await names()).length === 4);
  const gateway = {
    gateway: { name: "edge" },
    bootstrapHost: "k.example.com",
    brokerHostTemplate: "k{nodeId}.example.com",
  };
  const listener = { name: "edge", port: 9096, type: "tlsroute", tls: true, configuration: gateway };
  await site.merge(KAFKA_CLUSTERS, "kaas", { spec: { listeners: [listener] } });
  await site.ready(KAFKA_CLUSTERS, "kaas", /GatewayApiMissing/);
  return `${wanted.length} Services`;
}

/** One that is being deleted while something holds it is left as it is. */
export async function untouched(site: Site): Promise<string> {
  await site.cluster();
  await site.start();
  await site.create(KAFKA_TOPICS, "held", {}, { finalizers: ["example.com/held"] });
  await site.ready(KAFKA_TOPICS, "held", READY);
  await site.quiet();
  await site.remove(KAFKA_TOPICS, "held");
  const before = await site.find(KAFKA_TOPICS, "held");
  const files = () => readFileSync(join(site.volume, "data/held/.config.json"), "utf8");
  const config = files();
  await site.merge(KAFKA_TOPICS, "held", { spec: { partitions: 4 } });
  const calls = site.calls.length;
  await site.quiet();
  await sleep(1_000);
  const since = site.calls.slice(calls).filter((call) => call.includes("kafkatopics held"));
  expect(since.length === 0, `it was written: ${since.join(", ")}`);
  expect(files() === config, "its directory was touched");
  const { status } = (await site.find(KAFKA_TOPICS, "held")) as KafkaTopic;
  expect(JSON.stringify(status) === JSON.stringify((before as KafkaTopic).status), "its status was touched");
  await site.merge(KAFKA_TOPICS, "held", { metadata: { finalizers: null } });
  await until("the directory goes once it is let go", () => !existsSync(join(site.volume, "data/held")));
  return "not a call about it";
}

function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
