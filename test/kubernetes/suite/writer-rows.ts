import { setTimeout as sleep } from "node:timers/promises";
import {
  type AclBinding,
  type AclChangeRefusal,
  type Assignment,
  ErrorCode,
  KaasError,
  type KaasErrorCode,
  type ScramMechanism,
  type UserChangeRefusal,
} from "@kaas/core";
import {
  AssignmentsMirror,
  isStatus,
  KAFKA_CLUSTER_ASSIGNMENTS,
  KAFKA_TOPICS,
  KAFKA_USERS,
  KafkaTopicWriter,
  KafkaUserWriter,
} from "@kaas/k8s";
import { systemClock } from "@kaas/storage";
import { until } from "../../lib/until.js";
import { expect, NAMESPACE, type Stage, SURROUNDINGS } from "./stage.js";
import { PATIENT_CALL, topicRef } from "./topics.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const described = (name: string) => ({ name, id: ID, partitionCount: 1, overrides: {} });

async function refused(what: string, code: KaasErrorCode, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof KaasError && error.code === code) return;
    throw error;
  }
  throw new Error(`${what} was accepted`);
}

export async function topics(stage: Stage): Promise<string> {
  const api = await stage.connect();
  const writer = new KafkaTopicWriter({ api, namespace: NAMESPACE, clock: systemClock });
  const spec = async (name: string) => (await api.get(KAFKA_TOPICS, topicRef(name))).spec;

  const odd = ["Written_Topic", "UPPER", "__x", "a..b", "-", "x".repeat(249), "Y".repeat(249)];
  for (const name of ["written", ...odd]) await writer.create(name, 2, { "retention.ms": "1000" });
  const { items } = await api.list(KAFKA_TOPICS, { namespace: NAMESPACE });
  expect(items.length === odd.length + 1, `${items.length} KafkaTopics were made`);
  await refused("a topic that exists", "KAAS_TOPIC_CONFLICT", writer.create("UPPER", 1, {}));
  await refused("0 partitions", "KAAS_KUBERNETES_REFUSED", writer.create("none", 0, {}));

  await writer.createPartitions(described("written"), 5);
  await writer.configure(described("written"), { "max.message.bytes": "2000" });
  expect(JSON.stringify(await spec("written")).includes('"partitions":5'), "partitions went with the configuration");
  await writer.configure(described("written"), { "segment.bytes": "3000000" });
  const config = JSON.stringify((await spec("written")).config);
  expect(config === '{"segment.bytes":"3000000"}', `the configuration is ${config}`);
  const fewer = { type: "merge", object: { spec: { partitions: 1 } } } as const;
  await refused("a decrease", "KAAS_KUBERNETES_REFUSED", api.patch(KAFKA_TOPICS, topicRef("written"), fewer));
  await refused("no increase", "KAAS_TOPIC_CONFLICT", writer.createPartitions(described("written"), 5));

  const other = { type: "merge", object: { status: { topicId: "BBBBBBBBBBBBBBBBBBBBBQ" } } } as const;
  await api.patch(KAFKA_TOPICS, topicRef("written"), other, { subresource: "status" });
  await refused("another topic's deletion", "KAAS_TOPIC_CONFLICT", writer.delete(described("written")));
  await api.patch(
    KAFKA_TOPICS,
    topicRef("written"),
    { type: "merge", object: { status: null } },
    { subresource: "status" },
  );
  for (const name of ["written", ...odd]) await writer.delete(described(name));
  const left = await api.list(KAFKA_TOPICS, { namespace: NAMESPACE });
  expect(left.items.length === 0, `${left.items.length} KafkaTopics are left`);
  await refused("what is gone", "KAAS_TOPIC_CONFLICT", writer.delete(described("written")));
  return "created, changed and deleted, names that Kubernetes cannot hold among them";
}

/** What kubectl has applied is changed all the same, and says afterwards who did. */
export async function appliedByOthers(stage: Stage): Promise<string> {
  const api = await stage.connect();
  const writer = new KafkaTopicWriter({ api, namespace: NAMESPACE, clock: systemClock });
  const object = {
    apiVersion: "kaas.rs/v1alpha1",
    kind: "KafkaTopic",
    metadata: topicRef("applied"),
    spec: { partitions: 1, config: { "retention.ms": 1000, "segment.bytes": 1_000_000 } },
  };
  const apply = { type: "apply", object, fieldManager: "kubectl" } as const;
  await api.patch(KAFKA_TOPICS, topicRef("applied"), apply);
  await writer.configure(described("applied"), { "retention.ms": "2000" });
  await writer.createPartitions(described("applied"), 3);
  const { spec } = await api.get(KAFKA_TOPICS, topicRef("applied"));
  expect(spec.partitions === 3, `${spec.partitions} partitions`);
  expect(JSON.stringify(spec.config) === '{"retention.ms":"2000"}', JSON.stringify(spec.config));
  const again = await api.patch(KAFKA_TOPICS, topicRef("applied"), apply).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isStatus(again, 409) && again.message.includes("kaas-admin"), `applied again: ${String(again)}`);
  await api.delete(KAFKA_TOPICS, topicRef("applied"));
  return "changed, and a conflict names who did";
}

type Change = () => Promise<UserChangeRefusal | AclChangeRefusal | undefined>;

/** What becomes of a change that is asked for again, as clients do, where there was no time for it. */
async function outcome(what: string, change: Change): Promise<Awaited<ReturnType<Change>>> {
  let refusal: Awaited<ReturnType<Change>>;
  await until(what, async () => {
    refusal = await change();
    return refusal?.errorCode !== ErrorCode.REQUEST_TIMED_OUT;
  });
  return refusal;
}

async function done(what: string, change: Change): Promise<void> {
  const refusal = await outcome(what, change);
  expect(refusal === undefined, `${what}: ${refusal?.message}`);
}

export async function users(stage: Stage): Promise<string> {
  const api = await stage.connect();
  const writer = new KafkaUserWriter({ api, namespace: NAMESPACE, clock: systemClock });
  const spec = async (name: string) => (await api.get(KAFKA_USERS, topicRef(name))).spec;
  const acl = (principal: string, change: Partial<AclBinding> = {}): AclBinding => ({
    resourceType: "TOPIC",
    patternType: "PREFIXED",
    resourceName: "orders",
    principal,
    host: "*",
    operation: "READ",
    permission: "ALLOW",
    ...change,
  });
  const cluster = {
    resourceType: "CLUSTER",
    resourceName: "kafka-cluster",
    patternType: "LITERAL",
    operation: "IDEMPOTENT_WRITE",
  } as const;
  const added = [
    acl("User:alice"),
    acl("User:alice", { operation: "WRITE" }),
    acl("User:alice", cluster),
    acl("User:CN=carol"),
  ];
  const user = "alice";
  await done("ACLs are added", () => writer.changeAcls({ added, removed: [] }, 5000));
  const limits = { producer_byte_rate: 1000, request_percentage: 12.5 };
  const fewer = { request_percentage: null };
  await done("limits are set", () => writer.alterQuotas({ entity: { user }, limits }));
  await done("a limit is taken away", () => writer.alterQuotas({ entity: { user }, limits: fewer }));
  const credential = (bytes: number) => {
    const key = Buffer.alloc(bytes, 7);
    return { salt: key, iterations: 4096, storedKey: key, serverKey: key };
  };
  const both = new Map([["SCRAM-SHA-256", credential(32)] as const, ["SCRAM-SHA-512", credential(64)] as const]);
  const remove = (mechanism: ScramMechanism) => () =>
    writer.alterScram({ user, upserts: new Map(), deletions: new Set([mechanism]) });
  await done("passwords are set", () => writer.alterScram({ user, upserts: both, deletions: new Set() }));
  await done("one is removed", remove("SCRAM-SHA-512"));
  const removed = [acl("User:alice", { operation: "WRITE" })];
  await done("an ACL is removed", () => writer.changeAcls({ added: [], removed }, 5000));

  const alice = await spec("alice");
  const operations = alice.authorization?.acls.flatMap((entry) => entry.operations).join();
  expect(operations === "Read,IdempotentWrite", `alice's ACLs: ${operations}`);
  expect(JSON.stringify(alice.quotas) === '{"producerMaxByteRatePerBroker":1000}', JSON.stringify(alice.quotas));
  expect(alice.authentication?.type === "scram-sha-256", `alice logs in by ${alice.authentication?.type}`);
  expect((await spec("carol")).authentication?.type === "tls-external", "carol does not log in by certificate");
  await done("the other one too", remove("SCRAM-SHA-256"));
  expect((await spec("alice")).authentication === undefined, "alice can still log in");
  for (const name of ["alice", "carol"]) await api.delete(KAFKA_USERS, topicRef(name));
  return "ACLs, quotas and credentials, all as the definitions allow";
}

/** Who may patch users but not create them changes those that exist. */
export async function usersWithoutCreate(stage: Stage): Promise<string> {
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
  const rules = [{ apiGroups: ["kaas.rs"], resources: ["kafkausers"], verbs: ["get", "list", "watch", "patch"] }];
  await stage.plane.ask("POST", `${role}/roles`, JSON.stringify({ metadata: { name: "patch-users" }, rules }));
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "patcher" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patch-users" };
  await stage.plane.ask(
    "POST",
    `${role}/rolebindings`,
    JSON.stringify({ metadata: { name: "patcher" }, roleRef, subjects }),
  );
  const admin = await stage.connect();
  const api = await stage.connect({ user: "patcher" });
  await until("the rights are known", () =>
    api.list(KAFKA_USERS, { namespace: NAMESPACE }).then(
      () => true,
      () => false,
    ),
  );
  const writer = new KafkaUserWriter({ api, namespace: NAMESPACE, clock: systemClock });
  const quota = (user: string) => ({ entity: { user }, limits: { request_percentage: 5 } });
  const refusal = await outcome("a new user", () => writer.alterQuotas(quota("bob")));
  expect(refusal?.message.includes("forbidden") === true, `a new user: ${refusal?.message}`);
  const bob = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaUser", metadata: topicRef("bob"), spec: {} } as const;
  await admin.create(KAFKA_USERS, bob);
  await done("a user that exists", () => writer.alterQuotas(quota("bob")));
  const { quotas } = (await admin.get(KAFKA_USERS, topicRef("bob"))).spec;
  expect(quotas?.requestPercentage === 5, `bob's limits: ${JSON.stringify(quotas)}`);
  await admin.delete(KAFKA_USERS, topicRef("bob"));
  return "changed, and not created";
}

/** 10 000 topics: what does not fit is left out, and the rest is stored. */
export async function mirror(stage: Stage): Promise<string> {
  const api = await stage.connect();
  const object = {
    apiVersion: "kaas.rs/v1alpha1",
    kind: "KafkaClusterAssignments",
    metadata: topicRef("kaas"),
  } as const;
  await api.create(KAFKA_CLUSTER_ASSIGNMENTS, object);
  const mirroring = new AssignmentsMirror({ api, namespace: NAMESPACE, name: "kaas", ...SURROUNDINGS });
  stage.atEnd(() => mirroring.stop());
  const assignment: Assignment = {
    controllerEpoch: 1,
    version: 1,
    controllerId: 0,
    createdMs: 1_700_000_000_000,
    brokers: [],
    topics: Array.from({ length: 10_000 }, (_, index) => ({
      topicId: ID,
      name: `topic-${index}`,
      leaders: [0, 1, 2],
      leaderEpochs: [1, 2, 3],
    })),
    slots: { groups: [0], transactions: [0] },
  };
  const status = async () => (await api.get(KAFKA_CLUSTER_ASSIGNMENTS, topicRef("kaas"), PATIENT_CALL)).status;
  // It is large: who reads it without a rest keeps the API server from storing it.
  const shows = (version: number) => async (): Promise<boolean> => {
    await sleep(200);
    return (await status())?.version === version;
  };
  mirroring.publish(assignment);
  await until("it is stored", shows(1));
  const first = await status();
  const many = first?.topics?.length ?? 0;
  expect(first?.truncated === true && many > 1000 && many < 10_000, `${many} topics fit`);
  mirroring.publish({ ...assignment, version: 2, topics: assignment.topics.slice(0, 10) });
  await until("and replaced", shows(2));
  const last = await status();
  expect(last?.topics?.length === 10 && last.truncated === false, "the old topics are still there");
  await api.delete(KAFKA_CLUSTER_ASSIGNMENTS, topicRef("kaas"));
  return `${many} of 10000 topics fit`;
}
