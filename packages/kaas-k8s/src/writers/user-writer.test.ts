import { type AclBinding, ErrorCode, type ScramCredential, type ScramMechanism } from "@kaas/core";
import type { KafkaUser } from "@kaas/operator-api";
import { beforeEach, describe, expect, test } from "vitest";
import { KAFKA_USERS } from "../custom-resources.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { TestClock } from "../testing/test-clock.js";
import { KafkaUserWriter } from "./user-writer.js";

let api: FakeKubernetesApi;
let writer: KafkaUserWriter;
beforeEach(() => {
  const clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  writer = new KafkaUserWriter({ api, namespace: "events", clock });
});

const ref = (name: string) => ({ namespace: "events", name });
const specOf = async (name: string) => (await api.get(KAFKA_USERS, ref(name))).spec;
const byHand = (name: string, spec: KafkaUser["spec"]) =>
  api.create(
    KAFKA_USERS,
    { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaUser", metadata: ref(name), spec },
    { fieldManager: "kubectl" },
  );

describe("ACLs", () => {
  const acl = (change: Partial<AclBinding> = {}): AclBinding => ({
    resourceType: "TOPIC",
    patternType: "LITERAL",
    resourceName: "orders",
    principal: "User:alice",
    host: "*",
    operation: "READ",
    permission: "ALLOW",
    ...change,
  });
  const add = (...added: AclBinding[]) => writer.changeAcls({ added, removed: [] }, 1000);
  const remove = (...removed: AclBinding[]) => writer.changeAcls({ added: [], removed }, 1000);
  const aclsOf = async (name: string) => (await specOf(name)).authorization?.acls;
  const entry = (...operations: string[]) => ({
    type: "allow",
    resource: { type: "topic", name: "orders", patternType: "literal" },
    host: "*",
    operations,
  });

  test("are added to the user's own, by operation", async () => {
    await byHand("alice", { authorization: { type: "simple", acls: [entry("Describe")] as never } });
    expect(await add(acl(), acl({ operation: "WRITE" }), acl({ operation: "DESCRIBE" }))).toBeUndefined();
    expect(await aclsOf("alice")).toEqual([entry("Describe", "Read", "Write")]);
  });

  test("of another host, pattern or permission are entries of their own", async () => {
    await add(acl(), acl({ host: "10.0.0.1" }), acl({ permission: "DENY" }), acl({ patternType: "PREFIXED" }));
    await add(acl({ resourceType: "CLUSTER", resourceName: "kafka-cluster", operation: "IDEMPOTENT_WRITE" }));
    expect(await aclsOf("alice")).toEqual([
      entry("Read"),
      { ...entry("Read"), host: "10.0.0.1" },
      { ...entry("Read"), type: "deny" },
      { ...entry("Read"), resource: { type: "topic", name: "orders", patternType: "prefix" } },
      { ...entry("IdempotentWrite"), resource: { type: "cluster", patternType: "literal" } },
    ]);
  });

  test("are taken away, and with the last one its entry", async () => {
    await add(acl(), acl({ operation: "WRITE" }));
    await remove(acl());
    expect(await aclsOf("alice")).toEqual([entry("Write")]);
    await remove(acl({ operation: "WRITE" }));
    expect(await aclsOf("alice")).toEqual([]);
  });

  test("that change nothing are not written, and make no user", async () => {
    await add(acl());
    const before = api.calls.length;
    await add(acl());
    await remove(acl({ principal: "User:bob" }));
    expect(api.calls.slice(before).map(({ verb }) => verb)).toEqual(["get", "get"]);
  });

  test("of a user who logs in by certificate are those of its common name", async () => {
    await byHand("carol", { authentication: { type: "tls" } });
    await add(acl({ principal: "User:CN=carol" }), acl({ principal: "User:CN=dave" }));
    expect(await aclsOf("carol")).toEqual([entry("Read")]);
    expect((await specOf("dave")).authentication).toEqual({ type: "tls-external" });
    expect(await add(acl({ principal: "User:carol" }))).toMatchObject({ errorCode: ErrorCode.POLICY_VIOLATION });
  });

  test.each([
    ["User:*", /none can stand for '\*'/],
    ["User:Alice", /none can stand for 'Alice'/],
    ["User:CN=alice,OU=sales", /none can stand for/],
    ["Group:sales", /Group:sales is none/],
  ])("of %s are refused before anything is changed", async (principal, message) => {
    const refusal = await add(acl(), acl({ principal }));
    expect(refusal).toEqual({ errorCode: ErrorCode.POLICY_VIOLATION, message: expect.stringMatching(message) });
    expect(api.calls).toEqual([]);
  });

  test("for operations that a KafkaUser does not know are refused", async () => {
    expect(await add(acl({ operation: "TWO_PHASE_COMMIT" }))).toMatchObject({ errorCode: ErrorCode.POLICY_VIOLATION });
  });

  test("of a user that somebody else changes at the same time are worked out again", async () => {
    await add(acl());
    const patch = api.patch.bind(api);
    api.patch = async (...args) => {
      api.patch = patch;
      await patch(KAFKA_USERS, ref("alice"), { type: "merge", object: { spec: { authorization: { acls: [] } } } });
      return await patch(...args);
    };
    await add(acl({ operation: "WRITE" }));
    expect(await aclsOf("alice")).toEqual([entry("Write")]);
  });
});

describe("quotas", () => {
  test("are set and taken away, one by one", async () => {
    await byHand("alice", { quotas: { requestPercentage: 50, controllerMutationRate: 1.5 } });
    const limits = { producer_byte_rate: 1000, request_percentage: null, consumer_byte_rate: null };
    expect(await writer.alterQuotas({ entity: { user: "alice" }, limits })).toBeUndefined();
    expect((await specOf("alice")).quotas).toEqual({ controllerMutationRate: 1.5, producerMaxByteRatePerBroker: 1000 });
  });

  test("make a user that has nothing else", async () => {
    await writer.alterQuotas({ entity: { user: "bob" }, limits: { request_percentage: 10, producer_byte_rate: null } });
    expect(await specOf("bob")).toEqual({ quotas: { requestPercentage: 10 } });
    await writer.alterQuotas({ entity: { user: "nobody" }, limits: { request_percentage: null } });
    await expect(specOf("nobody")).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    [{ user: null }, {}],
    [{ clientId: "app" }, {}],
    [{ user: "alice", clientId: "app" }, {}],
    [{ ip: "10.0.0.1" }, { connection_creation_rate: 1 }],
    [{ user: "alice" }, { connection_creation_rate: 1 }],
    [{ user: "alice" }, { producer_byte_rate: 1.5 }],
    [{ user: "Alice" }, { producer_byte_rate: 1 }],
  ])("of %j %j are refused", async (entity, limits) => {
    const refusal = await writer.alterQuotas({ entity, limits });
    expect(refusal?.errorCode).toBe(ErrorCode.POLICY_VIOLATION);
    expect(api.calls.filter(({ verb }) => verb !== "get")).toEqual([]);
  });
});

describe("SCRAM", () => {
  const credential = (byte: number): ScramCredential => {
    const bytes = Buffer.alloc(4, byte);
    return { salt: bytes, iterations: 8192, storedKey: bytes, serverKey: bytes };
  };
  const kept = (mechanism: string, byte: number) => {
    const text = Buffer.alloc(4, byte).toString("base64");
    return { mechanism, iterations: 8192, salt: text, storedKey: text, serverKey: text };
  };
  const alter = (user: string, upserts: [ScramMechanism, number][], ...deletions: ScramMechanism[]) =>
    writer.alterScram({
      user,
      upserts: new Map(upserts.map(([mechanism, byte]) => [mechanism, credential(byte)])),
      deletions: new Set(deletions),
    });

  test("credentials make a user, are replaced one by one, and go", async () => {
    await alter("alice", [["SCRAM-SHA-256", 1]]);
    expect(await specOf("alice")).toEqual({
      authentication: { type: "scram-sha-256", scramCredentials: [kept("scram-sha-256", 1)] },
    });
    await alter("alice", [["SCRAM-SHA-512", 2]]);
    expect((await specOf("alice")).authentication).toEqual({
      type: "scram-sha-512",
      scramCredentials: [kept("scram-sha-256", 1), kept("scram-sha-512", 2)],
    });
    await alter("alice", [], "SCRAM-SHA-512");
    expect((await specOf("alice")).authentication).toEqual({
      type: "scram-sha-256",
      scramCredentials: [kept("scram-sha-256", 1)],
    });
    await alter("alice", [], "SCRAM-SHA-256");
    expect(await specOf("alice")).toEqual({});
  });

  test("credentials take the place of a password", async () => {
    const password = { valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    await byHand("alice", { authentication: { type: "scram-sha-512", password } });
    expect(await alter("alice", [["SCRAM-SHA-256", 1]])).toMatchObject({ errorCode: ErrorCode.POLICY_VIOLATION });
    expect(await alter("alice", [["SCRAM-SHA-512", 1]])).toBeUndefined();
    expect((await specOf("alice")).authentication).toEqual({
      type: "scram-sha-512",
      scramCredentials: [kept("scram-sha-512", 1)],
    });
  });

  test("a password can be deleted, and one that is not there changes nothing", async () => {
    await byHand("alice", { authentication: { type: "scram-sha-512" }, quotas: {} });
    await alter("alice", [], "SCRAM-SHA-256");
    expect((await specOf("alice")).authentication).toEqual({ type: "scram-sha-512" });
    await alter("alice", [], "SCRAM-SHA-512");
    expect(await specOf("alice")).toEqual({ quotas: {} });
    expect(await alter("nobody", [], "SCRAM-SHA-512")).toBeUndefined();
  });

  test("a user who logs in by certificate has no password", async () => {
    await byHand("carol", { authentication: { type: "tls" } });
    expect(await alter("CN=carol", [["SCRAM-SHA-256", 1]])).toMatchObject({ errorCode: ErrorCode.POLICY_VIOLATION });
  });

  test("bytes that come from another thread are taken as well", async () => {
    const upserts = new Map([["SCRAM-SHA-256" as const, structuredClone(credential(3))]]);
    await writer.alterScram({ user: "alice", upserts, deletions: new Set() });
    expect((await specOf("alice")).authentication?.scramCredentials).toEqual([kept("scram-sha-256", 3)]);
  });
});

describe("an API server that", () => {
  const alter = () => writer.alterQuotas({ entity: { user: "alice" }, limits: { request_percentage: 1 } });
  const refusal = (code: number) => ({ code, reason: "", message: "why" });

  test.each([
    ["does not answer", "unreachable" as const, ErrorCode.REQUEST_TIMED_OUT],
    ["is overloaded", refusal(429), ErrorCode.REQUEST_TIMED_OUT],
    ["does not allow it", refusal(403), ErrorCode.POLICY_VIOLATION],
    ["does not accept it", refusal(422), ErrorCode.POLICY_VIOLATION],
  ])("%s is told of as Kafka's clients understand it", async (_, failure, errorCode) => {
    api.fail({ verb: "create" }, failure);
    expect(await alter()).toEqual({ errorCode, message: expect.stringMatching(/why|cannot be reached/) });
  });

  test("always says that somebody else was faster is not asked for ever", async () => {
    await byHand("alice", {});
    api.fail({ verb: "patch" }, refusal(409), 100);
    expect(await alter()).toMatchObject({ errorCode: ErrorCode.REQUEST_TIMED_OUT });
    expect(api.calls.filter(({ verb }) => verb === "patch").length).toBeLessThan(10);
  });
});
