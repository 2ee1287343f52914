import { KAFKA_CLUSTERS, KAFKA_USERS } from "@kaas/k8s";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CERTIFICATES, SECRETS } from "../src/kubernetes/resources.js";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const CLIENTS_CA = { clientsCa: { issuerRef: { name: "clients" } } };
const TLS_USER = { authentication: { type: "tls" } };
const SCRAM_USER = { authentication: { type: "scram-sha-512" } };

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create({ hasCluster: false });
});
afterEach(() => harness.stop());

const textOf = (name: string, key: string) => {
  const value = harness.api.peek(SECRETS, ref(name))?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString();
};
const putSecret = async (name: string, data: Readonly<Record<string, string>>) => {
  const encoded = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString("base64")]));
  const object = { apiVersion: "v1", kind: "Secret", metadata: ref(name), data: encoded };
  await harness.api.patch(SECRETS, ref(name), { type: "apply", fieldManager: "cert-manager", object });
  await harness.settle();
};
/** What cert-manager says of a Certificate. */
const judge = async (name: string, condition: object) => {
  const object = { status: { conditions: [{ type: "Ready", ...condition }] } };
  await harness.api.patch(CERTIFICATES, ref(name), { type: "merge", object }, { subresource: "status" });
  await harness.settle();
};

describe("a user who logs in by certificate", () => {
  test("is not ready before the certificate is issued, and learns of it from its Secret", async () => {
    await harness.createCluster(CLIENTS_CA);
    await harness.start();
    await harness.createUser("alice", TLS_USER);
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificatePending: .*alice-kafka-tls is not issued yet;/);
    await judge("alice-kafka-tls", { status: "False", message: "no such issuer" });
    await putSecret("alice-kafka-tls", {});
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificatePending: .*: no such issuer;/);
    await judge("alice-kafka-tls", { status: "True" });
    await putSecret("alice-kafka-tls", { "tls.crt": "issued" });
    expect(readyOf(harness.user("alice"))).toMatch(
      /^True Ready: logs in by tls; credentials in Secret alice-kafka-tls/,
    );
  });

  test("is asked about again, as cert-manager may say so after it has written the Secret", async () => {
    await harness.createCluster(CLIENTS_CA);
    await harness.start();
    await harness.createUser("alice", TLS_USER);
    await putSecret("alice-kafka-tls", { "tls.crt": "issued" });
    await judge("alice-kafka-tls", { status: "True" });
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificatePending/);
    await harness.pass(16_000);
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
  });

  test("is not ready by what was said of the certificate as it was before", async () => {
    await harness.createCluster(CLIENTS_CA);
    await harness.start();
    await harness.createUser("alice", TLS_USER);
    await judge("alice-kafka-tls", { status: "True", observedGeneration: 1 });
    await harness.pass(16_000);
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
    const object = { spec: { clientsCa: { issuerRef: { name: "others" } } } };
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object });
    await harness.settle();
    expect(readyOf(harness.user("alice"))).toMatch(/^False CertificatePending/);
  });

  test("that was never issued, and is not needed any more, is not asked for either", async () => {
    await harness.createCluster(CLIENTS_CA);
    await harness.start();
    await harness.createUser("alice", TLS_USER);
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))).toBeDefined();
    const object = { spec: { authentication: { type: "tls-external" } } };
    await harness.api.patch(KAFKA_USERS, ref("alice"), { type: "merge", object });
    await harness.settle();
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))).toBeUndefined();
  });

  test("is given a key that Java reads", async () => {
    await harness.createCluster(CLIENTS_CA);
    await harness.start();
    await harness.createUser("alice", TLS_USER);
    expect(harness.api.peek(CERTIFICATES, ref("alice-kafka-tls"))).toMatchObject({
      spec: {
        commonName: "alice",
        usages: ["client auth"],
        privateKey: { encoding: "PKCS8" },
        additionalOutputFormats: [{ type: "CombinedPEM" }],
      },
    });
  });
});

const ISSUED = { "tls.key": "private", "tls.crt": "own", "ca.crt": "authority" };

describe("the brokers' certificate", () => {
  test("of one's own is waited for, with all that brokers need of it", async () => {
    await harness.createCluster({ certificateSecret: "mine" });
    await harness.start();
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: there is no Secret mine: brokers do not start before/);
    await putSecret("mine", { "tls.crt": "own", "ca.crt": "authority" });
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: Secret mine has nothing under tls\.key: /);
    await putSecret("mine", ISSUED);
    expect(readyOf(harness.cluster())).toMatch(/^True/);
  });

  test("is missed where a listener has tls and nothing says which it is", async () => {
    await harness.createCluster({ listeners: [{ name: "safe", port: 9093, type: "internal", tls: true }] });
    await harness.start();
    expect(readyOf(harness.cluster())).toMatch(
      /^False NoCertificate: listener safe has tls, .*spec\.certificateSecret/,
    );
  });
});

describe("whom clients are to trust", () => {
  test("stays while the Secret of the brokers is away, as when it is replaced", async () => {
    await harness.createCluster({ certificateSecret: "mine" });
    await putSecret("mine", ISSUED);
    await harness.start();
    await harness.createUser("alice", SCRAM_USER);
    await harness.api.delete(SECRETS, ref("mine"));
    await harness.settle();
    expect(readyOf(harness.cluster())).toMatch(/^False Pending: there is no Secret mine/);
    expect(textOf("kaas-cluster-ca-cert", "ca.crt")).toBe("authority");
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBe("authority");
    await putSecret("mine", { ...ISSUED, "ca.crt": "another" });
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBe("another");
  });

  test("is published without the brokers' key, and stands in the Secret of each user", async () => {
    await harness.createCluster({ certificate: { issuerRef: { name: "ca" } } });
    await harness.start();
    await harness.createUser("alice", SCRAM_USER);
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBeUndefined();
    await putSecret("kaas-broker-tls", ISSUED);
    const published = harness.api.peek(SECRETS, ref("kaas-cluster-ca-cert"));
    expect(Object.keys(published?.data ?? {})).toEqual(["ca.crt"]);
    expect(published?.metadata.ownerReferences).toMatchObject([{ kind: "KafkaCluster", name: "kaas" }]);
    expect(textOf("kaas-cluster-ca-cert", "ca.crt")).toBe("authority");
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBe("authority");
    await putSecret("kaas-broker-tls", { ...ISSUED, "ca.crt": "another" });
    expect(textOf("kaas-cluster-ca-cert", "ca.crt")).toBe("another");
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBe("another");
  });

  test("may be that of a Secret of one's own, and is withdrawn with it", async () => {
    await harness.createCluster({ certificateSecret: "mine" });
    await putSecret("mine", ISSUED);
    await harness.start();
    await harness.createUser("alice", SCRAM_USER);
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBe("authority");
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), {
      type: "merge",
      object: { spec: { certificateSecret: null } },
    });
    await harness.settle();
    expect(harness.api.peek(SECRETS, ref("kaas-cluster-ca-cert"))).toBeUndefined();
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBeUndefined();
  });

  test("is not written over what somebody else keeps under the name", async () => {
    await putSecret("kaas-cluster-ca-cert", { "ca.crt": "of Strimzi" });
    await putSecret("mine", ISSUED);
    await harness.createCluster({ certificateSecret: "mine" });
    await harness.start();
    await harness.createUser("alice", SCRAM_USER);
    expect(readyOf(harness.cluster())).toMatch(/^False SecretTaken: Secret kaas-cluster-ca-cert was not made for this/);
    expect(textOf("kaas-cluster-ca-cert", "ca.crt")).toBe("of Strimzi");
    expect(textOf("alice-kafka-credentials", "ca.crt")).toBeUndefined();
  });
});
