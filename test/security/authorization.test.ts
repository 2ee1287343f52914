// Unmodified clients that log in are allowed what ACLs say of their users, and no more, and wait when they are told to.
import { type RunningBroker, startKafkaBroker } from "@kaas/broker";
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from "kafkajs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WireClient } from "../lib/wire-client.js";
import { addScramUser } from "./add-scram-user.js";

let broker: RunningBroker;

beforeAll(async () => {
  broker = await startKafkaBroker({
    config: {
      listeners: "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
      "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
      "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users": "User:ANONYMOUS",
      "quota.window.num": 2,
      "auto.create.topics.enable": false,
    },
  });
  await addScramUser(portOf("PLAINTEXT"), "alice", "alice-secret");
  await addScramUser(portOf("PLAINTEXT"), "bob", "bob-secret");
  const admin = clientOf("PLAINTEXT").admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: "orders-1" }, { topic: "orders-2" }, { topic: "secrets" }] });
  const acl = {
    principal: "User:alice",
    host: "*",
    permissionType: AclPermissionTypes.ALLOW,
    resourcePatternType: ResourcePatternTypes.PREFIXED,
    resourceType: AclResourceTypes.TOPIC,
    resourceName: "orders-",
  };
  await admin.createAcls({
    acl: [
      { ...acl, operation: AclOperationTypes.WRITE },
      { ...acl, operation: AclOperationTypes.READ },
      { ...acl, resourceType: AclResourceTypes.GROUP, resourceName: "alice-", operation: AclOperationTypes.READ },
      {
        ...acl,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        resourceName: "orders-2",
        operation: AclOperationTypes.WRITE,
        permissionType: AclPermissionTypes.DENY,
      },
    ],
  });
  await admin.disconnect();
});

afterAll(() => broker.close());

function portOf(listenerName: string): number {
  return broker.endpoints.find((endpoint) => endpoint.listenerName === listenerName)?.port ?? 0;
}

function clientOf(listenerName: string, username?: string): Kafka {
  return new Kafka({
    brokers: [`127.0.0.1:${portOf(listenerName)}`],
    logLevel: logLevel.NOTHING,
    retry: { retries: 1, initialRetryTime: 10 },
    ...(username === undefined
      ? {}
      : { sasl: { mechanism: "scram-sha-512", username, password: `${username}-secret` } as const }),
  });
}

async function send(username: string, topic: string, value = "v"): Promise<void> {
  const producer = clientOf("SASL_PLAINTEXT", username).producer();
  await producer.connect();
  try {
    await producer.send({ topic, messages: [{ value }] });
  } finally {
    await producer.disconnect();
  }
}

test("alice writes and reads what she may", async () => {
  await send("alice", "orders-1", "hello");
  const consumer = clientOf("SASL_PLAINTEXT", "alice").consumer({ groupId: "alice-1", maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic: "orders-1", fromBeginning: true });
  const value = await new Promise<string>((resolve) => {
    void consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) });
  });
  await consumer.disconnect();
  expect(value).toBe("hello");
});

test.each([
  ["alice", "orders-2"],
  ["alice", "secrets"],
  ["alice", "nowhere"],
  ["bob", "orders-1"],
  ["bob", "nowhere"],
])("%s may not write to %s, whether it is there or not", async (username, topic) => {
  await expect(send(username, topic)).rejects.toThrow(/[Nn]ot authorized to access topics/);
});

test("a group that is not hers is refused", async () => {
  const consumer = clientOf("SASL_PLAINTEXT", "alice").consumer({ groupId: "bob-1", retry: { retries: 0 } });
  await consumer.connect();
  await consumer.subscribe({ topic: "orders-1" });
  const crashed = new Promise<Error>((resolve) => {
    consumer.on("consumer.crash", ({ payload }) => resolve(payload.error));
  });
  await consumer.run({ eachMessage: async () => undefined });
  // kafkajs gives up where it is not told of a coordinator, and does not say why it was not.
  expect((await crashed).message).toMatch(/find group coordinator/);
  await consumer.disconnect();
});

test("lists show what one may see", async () => {
  const topicsOf = async (username: string): Promise<string[]> => {
    const admin = clientOf("SASL_PLAINTEXT", username).admin();
    await admin.connect();
    const topics = await admin.listTopics();
    await admin.disconnect();
    return topics.sort();
  };
  expect(await topicsOf("alice")).toEqual(["orders-1", "orders-2"]);
  expect(await topicsOf("bob")).toEqual([]);
});

test("only whoever may alter the cluster changes ACLs", async () => {
  const admin = clientOf("SASL_PLAINTEXT", "alice").admin();
  await admin.connect();
  const everything = { ...{ principal: "User:alice", host: "*" }, permissionType: AclPermissionTypes.ALLOW };
  const acl = [
    {
      ...everything,
      operation: AclOperationTypes.ALL,
      resourceType: AclResourceTypes.CLUSTER,
      resourceName: "kafka-cluster",
      resourcePatternType: ResourcePatternTypes.LITERAL,
    },
  ];
  await expect(admin.createAcls({ acl })).rejects.toThrow(/[Cc]luster authorization failed/);
  await admin.disconnect();
});

test("a producer beyond its quota waits", async () => {
  const wire = await WireClient.connect(portOf("PLAINTEXT"));
  const entity = [{ entityType: "user", entityName: "alice" }];
  const ops = [{ key: "producer_byte_rate", value: 10_000, remove: false }];
  await wire.call(49, 1, { entries: [{ entity, ops }], validateOnly: false });
  wire.close();
  const producer = clientOf("SASL_PLAINTEXT", "alice").producer();
  await producer.connect();
  // One window of a second counts: three times as much as it holds makes two seconds of waiting.
  await producer.send({ topic: "orders-1", messages: [{ value: "x".repeat(30_000) }] });
  const began = performance.now();
  await producer.send({ topic: "orders-1", messages: [{ value: "x" }] });
  expect(performance.now() - began).toBeGreaterThan(1_000);
  await producer.disconnect();
});
