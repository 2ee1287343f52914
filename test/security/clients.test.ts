// Unmodified JavaScript clients log in: by SCRAM, by PLAIN over TLS, by certificate.
import { type RunningBroker, startKafkaBroker } from "@kaas/broker";
import { Admin, Producer, stringSerializers } from "@platformatic/kafka";
import { Kafka, type KafkaConfig, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Minted, type TestAuthority, testAuthority } from "../../packages/kaas-core/test/fakes/certificates.js";
import { addScramUser } from "./add-scram-user.js";

let authority: TestAuthority;
let alice: Minted;
let broker: RunningBroker;

beforeAll(async () => {
  authority = await testAuthority();
  const server = await authority.issue("CN=broker");
  alice = await authority.issue("C=DE, O=Example, CN=alice");
  broker = await startKafkaBroker({
    config: {
      listeners: "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0,SSL://127.0.0.1:0",
      "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512,PLAIN",
      "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
      "listener.name.sasl_ssl.plain.sasl.jaas.config":
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_bob="bob-secret";',
      "ssl.keystore.type": "PEM",
      "ssl.keystore.certificate.chain": server.certificate,
      "ssl.keystore.key": server.key,
      "ssl.truststore.type": "PEM",
      "ssl.truststore.certificates": authority.certificate,
      "ssl.client.auth": "required",
      "ssl.principal.mapping.rules": "RULE:^CN=(.*?),.*$/$1/",
      "connection.failed.authentication.delay.ms": 0,
      "auto.create.topics.enable": true,
    },
  });
  await addScramUser(portOf("PLAINTEXT"), "alice", "alice-secret");
});

afterAll(() => broker.close());

function portOf(listenerName: string): number {
  return broker.endpoints.find((endpoint) => endpoint.listenerName === listenerName)?.port ?? 0;
}

type Login = Pick<KafkaConfig, "sasl" | "ssl">;

async function kafkajs(listenerName: string, login: Login, topic: string): Promise<string> {
  const kafka = new Kafka({
    brokers: [`127.0.0.1:${portOf(listenerName)}`],
    logLevel: logLevel.NOTHING,
    retry: { retries: 2, initialRetryTime: 20 },
    ...login,
  });
  const producer = kafka.producer();
  await producer.connect();
  try {
    await producer.send({ topic, messages: [{ value: "hello" }] });
  } finally {
    await producer.disconnect();
  }
  const consumer = kafka.consumer({ groupId: topic, maxWaitTimeInMs: 100 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    return await new Promise<string>((resolve) => {
      void consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) });
    });
  } finally {
    await consumer.disconnect();
  }
}

const user = { username: "alice", password: "alice-secret" };
const trusting = (): { ca: string[] } => ({ ca: [authority.certificate] });

describe("kafkajs", () => {
  test.each<[string, string, () => Login]>([
    ["SCRAM-SHA-256", "SASL_PLAINTEXT", () => ({ sasl: { mechanism: "scram-sha-256", ...user } })],
    ["SCRAM-SHA-512", "SASL_PLAINTEXT", () => ({ sasl: { mechanism: "scram-sha-512", ...user } })],
    ["SCRAM over TLS", "SASL_SSL", () => ({ sasl: { mechanism: "scram-sha-512", ...user }, ssl: trusting() })],
    ["PLAIN over TLS", "SASL_SSL", () => ({ sasl: { mechanism: "plain", ...user }, ssl: trusting() })],
    [
      "PLAIN of the configuration",
      "SASL_SSL",
      () => ({ sasl: { mechanism: "plain", username: "bob", password: "bob-secret" }, ssl: trusting() }),
    ],
    ["a certificate", "SSL", () => ({ ssl: { ...trusting(), cert: alice.certificate, key: alice.key } })],
  ])("by %s", async (what, listener, login) => {
    expect(await kafkajs(listener, login(), what.replaceAll(" ", "-"))).toBe("hello");
  });

  test.each<[string, string, () => Login, RegExp]>([
    [
      "a wrong password",
      "SASL_PLAINTEXT",
      () => ({ sasl: { mechanism: "scram-sha-512", username: "alice", password: "x" } }),
      /invalid credentials with SASL mechanism SCRAM-SHA-512/,
    ],
    [
      "a user that nobody knows",
      "SASL_PLAINTEXT",
      () => ({ sasl: { mechanism: "scram-sha-512", username: "carol", password: "x" } }),
      /invalid credentials with SASL mechanism SCRAM-SHA-512/,
    ],
    [
      "PLAIN without TLS",
      "SASL_PLAINTEXT",
      () => ({ sasl: { mechanism: "plain", ...user } }),
      /does not support the requested SASL mechanism/,
    ],
    ["no certificate", "SSL", () => ({ ssl: trusting() }), /certificate required|alert|closed|disconnected/i],
    ["no login", "SASL_SSL", () => ({ ssl: trusting() }), /closed|disconnected|timeout/i],
  ])("%s is refused", async (_what, listener, login, message) => {
    await expect(kafkajs(listener, login(), "refused")).rejects.toThrow(message);
  });
});

describe("@platformatic/kafka", () => {
  const base = (listener: string) => ({
    clientId: "security",
    bootstrapBrokers: [`127.0.0.1:${portOf(listener)}`],
    retries: 1,
    retryDelay: 20,
  });

  test.each<[string, "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512"]>([
    ["SASL_SSL", "SCRAM-SHA-256"],
    ["SASL_SSL", "SCRAM-SHA-512"],
    ["SASL_SSL", "PLAIN"],
  ])("over %s by %s", async (listener, mechanism) => {
    const options = { ...base(listener), sasl: { mechanism, ...user }, tls: trusting() };
    const producer = new Producer({ ...options, serializers: stringSerializers, autocreateTopics: true });
    const { offsets } = await producer.send({ messages: [{ topic: `platformatic-${mechanism}`, value: "hello" }] });
    expect(offsets?.[0]?.offset).toBe(0n);
    await producer.close();
  });

  test("is refused with a wrong password", async () => {
    const sasl = { mechanism: "SCRAM-SHA-512", username: "alice", password: "x" } as const;
    const admin = new Admin({ ...base("SASL_SSL"), sasl, tls: trusting() });
    const refused = await admin.listTopics().catch((error: unknown) => error);
    await admin.close();
    expect(messagesOf(refused).join("\n")).toMatch(/SASL authentication failed/i);
  });
});

/** Of an error, and of all that it was made of. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { errors = [] } = error as { errors?: readonly unknown[] };
  return [error.message, ...[error.cause, ...errors].flatMap(messagesOf)];
}
