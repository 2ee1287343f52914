import { deriveScramCredential } from "@kaas/core";
import { KAFKA_CLUSTERS, KAFKA_USERS } from "@kaas/k8s";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CERTIFICATES, SECRETS } from "../src/kubernetes/resources.js";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const SCRAM = { authentication: { type: "scram-sha-512" } };
const REFERRED = {
  authentication: { type: "scram-sha-512", password: { valueFrom: { secretKeyRef: { name: "given", key: "pw" } } } },
};

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

const secret = (name: string) => harness.api.peek(SECRETS, ref(name));
const text = (name: string, key: string) => Buffer.from(secret(name)?.data?.[key] ?? "", "base64").toString();
const scramOf = async (name: string) =>
  (await harness.credentials.read())?.users.find((user) => user.name === name)?.scram;
const putSecret = async (name: string, data: Record<string, string | Buffer>) => {
  const inBase64 = (value: string | Buffer) =>
    (typeof value === "string" ? Buffer.from(value) : value).toString("base64");
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, inBase64(value)]));
  const object = { apiVersion: "v1", kind: "Secret", metadata: ref(name), data: encoded };
  await harness.api.patch(SECRETS, ref(name), { type: "apply", fieldManager: "test", object });
  await harness.settle();
};
const change = async (name: string, spec: object) => {
  await harness.api.patch(KAFKA_USERS, ref(name), { type: "merge", object: { spec } });
  await harness.settle();
};

/** Has a user looked at, and does something as soon as its Secret has been read, before that is written. */
async function inTheMiddle(act: () => Promise<unknown>): Promise<void> {
  let acted: Promise<unknown> | undefined;
  harness.api.intercept = ({ verb, plural, name }) => {
    if (verb === "get" && plural === "secrets" && name === "alice-kafka-credentials") acted ??= act();
  };
  await change("alice", { quotas: { requestPercentage: 1 } });
  expect(acted).toBeDefined();
  await acted;
  await harness.pass(1_000);
}

async function logsIn(name: string, password: string, mechanism: "SCRAM-SHA-256" | "SCRAM-SHA-512" = "SCRAM-SHA-512") {
  const record = (await scramOf(name))?.[mechanism];
  if (record === undefined) return false;
  const salt = Buffer.from(record.salt, "base64");
  const derived = await deriveScramCredential(mechanism, password, salt, record.iterations);
  return derived.storedKey.equals(Buffer.from(record.storedKey, "base64"));
}

describe("a user with a generated password", () => {
  test("finds it in its Secret, ready for a Java client, and can log in with it", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    const password = text("alice-kafka-credentials", "password");
    expect(password).toMatch(/^[\w-]{32}$/);
    expect(await logsIn("alice", password)).toBe(true);
    expect((await scramOf("alice"))?.["SCRAM-SHA-512"]?.iterations).toBeGreaterThanOrEqual(4096);
    expect(await logsIn("alice", "guess")).toBe(false);
    expect(text("alice-kafka-credentials", "sasl.jaas.config")).toBe(
      `org.apache.kafka.common.security.scram.ScramLoginModule required username="alice" password="${password}";`,
    );
    expect(text("alice-kafka-credentials", "sasl.mechanism")).toBe("SCRAM-SHA-512");
    expect(harness.user("alice")?.status).toMatchObject({ username: "alice", secret: "alice-kafka-credentials" });
    expect(readyOf(harness.user("alice"))).toMatch(/^True Ready: logs in by scram-sha-512; credentials in Secret/);
  });

  test("is one by the time that the Secret is there", async () => {
    await harness.start();
    let before: Promise<unknown> | undefined;
    harness.api.intercept = ({ verb, plural }) => {
      if (verb === "patch" && plural === "secrets") before ??= scramOf("alice");
    };
    await harness.createUser("alice", SCRAM);
    expect(await before).toEqual(await scramOf("alice"));
    expect(await before).toHaveProperty("SCRAM-SHA-512");
  });

  test("keeps it, and its keys, over restarts of the operator", async () => {
    const operator = await harness.start();
    await harness.createUser("alice", SCRAM);
    const before = [text("alice-kafka-credentials", "password"), await scramOf("alice")];
    const { generation } = (await harness.credentials.read()) ?? {};
    await operator.stop();
    await harness.start();
    expect([text("alice-kafka-credentials", "password"), await scramOf("alice")]).toEqual(before);
    expect((await harness.credentials.read())?.generation).toBe(generation);
  });

  test("gets another one when the Secret is deleted", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    const password = text("alice-kafka-credentials", "password");
    await harness.api.delete(SECRETS, ref("alice-kafka-credentials"));
    await harness.settle();
    const renewed = text("alice-kafka-credentials", "password");
    expect(renewed).not.toBe(password);
    expect([await logsIn("alice", renewed), await logsIn("alice", password)]).toEqual([true, false]);
  });

  test("gets another one when the Secret is deleted in the middle of a turn that has read it", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    const password = text("alice-kafka-credentials", "password");
    await inTheMiddle(() => harness.api.delete(SECRETS, ref("alice-kafka-credentials")));
    const renewed = text("alice-kafka-credentials", "password");
    expect(renewed).toMatch(/^[\w-]{32}$/);
    expect(renewed).not.toBe(password);
    expect([await logsIn("alice", renewed), await logsIn("alice", password)]).toEqual([true, false]);
  });

  test("keeps the one that somebody writes in the middle of a turn", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    const data = { password: Buffer.from("by hand").toString("base64") };
    await inTheMiddle(() =>
      harness.api.patch(SECRETS, ref("alice-kafka-credentials"), { type: "merge", object: { data } }),
    );
    expect(text("alice-kafka-credentials", "password")).toBe("by hand");
    expect(await logsIn("alice", "by hand")).toBe(true);
  });

  test("is told where to begin, by the listener that is for it", async () => {
    const listeners = [{ name: "scram", port: 9093, type: "internal", authentication: { type: "scram-sha-512" } }];
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { listeners } } });
    await harness.start();
    await harness.createUser("alice", SCRAM);
    expect(text("alice-kafka-credentials", "bootstrap.servers")).toBe("kaas-bootstrap.kaas.svc:9093");
  });

  test("leaves a Secret of that name alone that was not made for it", async () => {
    await harness.start();
    await putSecret("alice-kafka-credentials", { password: "mine" });
    await harness.createUser("alice", SCRAM);
    expect(readyOf(harness.user("alice"))).toMatch(/^False SecretTaken/);
    expect(text("alice-kafka-credentials", "password")).toBe("mine");
    expect(await scramOf("alice")).toBeUndefined();
  });
});

describe("a user whose password is in a Secret", () => {
  test("logs in by it, and by the new one once it is changed", async () => {
    await harness.start();
    await putSecret("given", { pw: 'a"b\\c' });
    await harness.createUser("alice", REFERRED);
    expect(await logsIn("alice", 'a"b\\c')).toBe(true);
    expect(text("alice-kafka-credentials", "sasl.jaas.config")).toContain('password="a\\"b\\\\c";');
    await putSecret("given", { pw: "second" });
    expect([await logsIn("alice", "second"), await logsIn("alice", 'a"b\\c')]).toEqual([true, false]);
    expect(text("alice-kafka-credentials", "password")).toBe("second");
  });

  test("is none with a line break in it, or bytes that are no text", async () => {
    await harness.start();
    await putSecret("given", { pw: "first" });
    await harness.createUser("alice", REFERRED);
    await putSecret("given", { pw: "second\n" });
    expect(readyOf(harness.user("alice"))).toMatch(/^False PasswordMalformed: what Secret given has under the key pw/);
    expect([await logsIn("alice", "first"), await logsIn("alice", "second\n")]).toEqual([true, false]);
    await putSecret("given", { pw: Buffer.from([0xff, 0xfe, 0x61]) });
    expect(readyOf(harness.user("alice"))).toMatch(/^False PasswordMalformed/);
    await putSecret("given", { pw: "pässwörd" });
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
    expect(await logsIn("alice", "pässwörd")).toBe(true);
  });

  test("stays what it was while its Secret is away, and the condition says so", async () => {
    await harness.start();
    await putSecret("given", { pw: "first" });
    await harness.createUser("alice", REFERRED);
    await harness.api.delete(SECRETS, ref("given"));
    await harness.settle();
    expect(readyOf(harness.user("alice"))).toMatch(
      /SecretMissing: there is no Secret given; .* by the password that it had/,
    );
    expect(await logsIn("alice", "first")).toBe(true);
  });

  test("is parked while there is none: a condition, a watch, and not one call", async () => {
    await harness.start();
    await harness.createUser("alice", { ...REFERRED, authorization: { type: "simple", acls: [] } });
    expect(readyOf(harness.user("alice"))).toMatch(/^False SecretMissing: there is no Secret given;.*under the key pw/);
    const aboutUsers = () =>
      harness.api.calls.filter(
        ({ verb, plural }) => ["kafkausers", "secrets"].includes(plural) && !["list", "watch"].includes(verb),
      ).length;
    const before = aboutUsers();
    await harness.pass(1_200_000);
    expect(aboutUsers()).toBe(before);
    await putSecret("given", { other: "x" });
    expect(readyOf(harness.user("alice"))).toMatch(/^False SecretMissing: Secret given has no key pw/);
    await putSecret("given", { other: "x", pw: "first" });
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
    expect(await logsIn("alice", "first")).toBe(true);
  });
});

describe("a user with keys of its own", () => {
  const key = Buffer.alloc(32, 1).toString("base64");
  const keys = { iterations: 4096, salt: "c2FsdA==", storedKey: key, serverKey: key };
  test("logs in by them, and has no Secret any more", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    expect(secret("alice-kafka-credentials")).toBeDefined();
    const scramCredentials = [{ mechanism: "scram-sha-256", ...keys }];
    await change("alice", { authentication: { type: "scram-sha-256", scramCredentials } });
    expect(await scramOf("alice")).toEqual({ "SCRAM-SHA-256": keys });
    expect(secret("alice-kafka-credentials")).toBeUndefined();
  });
});

describe("a user with a certificate", () => {
  test("does not take over a Certificate that somebody else has made", async () => {
    await harness.start();
    const clientsCa = { issuerRef: { name: "clients" } };
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { clientsCa } } });
    const theirs = { apiVersion: "cert-manager.io/v1", kind: "Certificate", metadata: ref("alice-kafka-tls") };
    await harness.api.create(CERTIFICATES, theirs);
    await harness.createUser("alice", { authentication: { type: "tls" } });
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificateTaken/);
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))?.metadata.ownerReferences).toBeUndefined();
  });

  test("gets one of cert-manager, and another name", async () => {
    await harness.start();
    await harness.createUser("alice", SCRAM);
    await change("alice", { authentication: { type: "tls" }, quotas: { requestPercentage: 5 } });
    expect(readyOf(harness.user("alice"))).toMatch(/^False NoClientsCa/);
    const clientsCa = { issuerRef: { name: "clients" } };
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { clientsCa } } });
    await harness.settle();
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificatePending/);
    const object = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    await harness.api.patch(CERTIFICATES, ref("alice-kafka-tls"), { type: "merge", object }, { subresource: "status" });
    await harness.pass(16_000);
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))).toMatchObject({
      spec: { commonName: "alice", secretName: "alice-kafka-tls", usages: ["client auth"] },
    });
    const credentials = await harness.credentials.read();
    expect(credentials?.users).toEqual([]);
    expect(credentials?.quotas).toEqual([{ entity: { user: "CN=alice" }, limits: { request_percentage: 5 } }]);
    await change("alice", { authentication: { type: "tls-external" } });
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))).toBeUndefined();
  });

  test("is told when there is no cert-manager", async () => {
    const clientsCa = { issuerRef: { name: "clients" } };
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { clientsCa } } });
    harness.api.missingGroups.add("cert-manager.io");
    await harness.start();
    await harness.createUser("alice", { authentication: { type: "tls" } });
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertManagerMissing/);
  });
});

describe("ACLs and quotas", () => {
  const acls = [{ resource: { type: "topic", name: "orders-", patternType: "prefix" }, operations: ["Read", "Write"] }];

  test("are those of all users, also of those who do not log in by themselves", async () => {
    await harness.start();
    await harness.createUser("alice", { ...SCRAM, authorization: { type: "simple", acls } });
    const cluster = [{ type: "deny", host: "10.0.0.1", resource: { type: "cluster" }, operations: ["All"] }];
    await harness.createUser("bob", {
      authorization: { type: "simple", acls: cluster },
      quotas: { producerMaxByteRatePerBroker: 1024, controllerMutationRate: 2.5 },
    });
    const of = (operation: string) => ({
      resourceType: "TOPIC",
      patternType: "PREFIXED",
      resourceName: "orders-",
      principal: "User:alice",
      host: "*",
      operation,
      permission: "ALLOW",
    });
    const denied = {
      resourceType: "CLUSTER",
      patternType: "LITERAL",
      resourceName: "kafka-cluster",
      principal: "User:bob",
      host: "10.0.0.1",
      operation: "ALL",
      permission: "DENY",
    };
    const written = (await harness.acls.read())?.acls ?? [];
    expect(written).toHaveLength(3);
    expect(written).toEqual(expect.arrayContaining([of("READ"), of("WRITE"), denied]));
    expect((await harness.credentials.read())?.quotas).toEqual([
      { entity: { user: "bob" }, limits: { producer_byte_rate: 1024, controller_mutation_rate: 2.5 } },
    ]);
    expect(readyOf(harness.user("bob"))).toBe("True Ready: no authentication of its own");
  });

  test("hold for who cannot log in as it should, and for who is being deleted until it is gone", async () => {
    await harness.start();
    await harness.createUser("parked", { ...REFERRED, authorization: { type: "simple", acls } });
    expect(readyOf(harness.user("parked"))).toMatch(/^False SecretMissing/);
    await harness.createUser("held", { authorization: { type: "simple", acls } });
    await harness.api.patch(KAFKA_USERS, ref("held"), {
      type: "merge",
      object: { metadata: { finalizers: ["example.com/held"] } },
    });
    await harness.api.delete(KAFKA_USERS, ref("held"));
    await harness.pass(301_000);
    const principals = async () => new Set((await harness.acls.read())?.acls.map(({ principal }) => principal));
    expect(await principals()).toEqual(new Set(["User:parked", "User:held"]));
    await harness.api.patch(KAFKA_USERS, ref("held"), { type: "merge", object: { metadata: { finalizers: [] } } });
    await harness.settle();
    expect(await principals()).toEqual(new Set(["User:parked"]));
  });

  test("are taken away even when the rest cannot be done", async () => {
    await harness.start();
    await harness.createUser("alice", { ...SCRAM, authorization: { type: "simple", acls } });
    await change("alice", { authorization: null, ...REFERRED });
    expect(readyOf(harness.user("alice"))).toMatch(/SecretMissing/);
    expect((await harness.acls.read())?.acls).toEqual([]);
  });
});

describe("acls.json", () => {
  const acls = [{ resource: { type: "topic", name: "x" }, operations: ["Read"] }];
  const user = { authorization: { type: "simple", acls } };

  test("has the ACLs of a user who comes again", async () => {
    await harness.start();
    await harness.createUser("alice", user);
    await harness.api.delete(KAFKA_USERS, ref("alice"));
    await harness.settle();
    await harness.createUser("alice", user);
    expect((await harness.acls.read())?.acls).toHaveLength(1);
  });

  test("is restored by the sweep, whoever has written something else", async () => {
    await harness.start();
    await harness.createUser("alice", user);
    await harness.acls.update(() => []);
    await harness.createUser("bob", {});
    await harness.pass(302_000);
    expect((await harness.acls.read())?.acls).toHaveLength(1);
  });
});

describe("a user that goes", () => {
  test("during its own turn leaves nothing either", async () => {
    await harness.start();
    let isLate = true;
    // Its Secret is asked for, and it is deleted before the answer comes.
    harness.api.intercept = ({ verb, plural }) => {
      if (!isLate || verb !== "get" || plural !== "secrets") return;
      isLate = false;
      void harness.api.delete(KAFKA_USERS, ref("alice"));
    };
    await harness.createUser("alice", { ...SCRAM, quotas: { requestPercentage: 1 } });
    expect(isLate).toBe(false);
    const credentials = await harness.credentials.read();
    expect([credentials?.users, credentials?.quotas]).toEqual([[], []]);
  });

  test("can do nothing any more", async () => {
    await harness.start();
    const acls = [{ resource: { type: "topic", name: "orders" }, operations: ["Read"] }];
    await harness.createUser("alice", {
      ...SCRAM,
      authorization: { type: "simple", acls },
      quotas: { requestPercentage: 1 },
    });
    await harness.createUser("bob", SCRAM);
    await harness.api.delete(KAFKA_USERS, ref("alice"));
    await harness.settle();
    const credentials = await harness.credentials.read();
    expect(credentials?.users.map(({ name }) => name)).toEqual(["bob"]);
    expect(credentials?.quotas).toEqual([]);
    expect((await harness.acls.read())?.acls).toEqual([]);
    expect(secret("alice-kafka-credentials")).toBeUndefined();
  });
});
