import { X509Certificate } from "node:crypto";
import type { KafkaCluster } from "@kaas/operator-api";
import { expect, test } from "vitest";
import { testAuthority } from "../../../packages/kaas-core/test/fakes/certificates.js";
import { noteCertificate } from "../src/clusters/certificate-checks.js";
import type { ClusterRun } from "../src/clusters/cluster-run.js";

/** What is waited for with a certificate in the Secret of one's own. */
function pendingWith(certificate: string, nowMs: number): readonly string[] {
  const listeners = [{ name: "safe", port: 9093, type: "internal", tls: true }];
  const object = {
    metadata: { name: "kaas" },
    spec: { certificateSecret: "mine", listeners },
  } as unknown as KafkaCluster;
  const run: ClusterRun = { object, refused: new Map(), pending: [] };
  const data = { "tls.crt": Buffer.from(certificate).toString("base64"), "tls.key": "a2V5" };
  noteCertificate(run, { apiVersion: "v1", kind: "Secret", metadata: { name: "mine" }, data }, nowMs);
  return run.pending;
}

test("a certificate of one's own that has run out is told, and one that has not is fine", async () => {
  const { certificate } = await (await testAuthority()).issue("CN=kaas");
  const { validTo } = new X509Certificate(certificate);
  const endMs = Date.parse(validTo);
  expect(pendingWith(certificate, endMs - 1)).toEqual([]);
  expect(pendingWith(certificate, endMs + 1)).toEqual([
    `the certificate in Secret mine has run out on ${new Date(endMs).toISOString()}: clients do not accept it; put a new one there`,
  ]);
});

test("what nobody can read is left to brokers to judge", () => {
  expect(pendingWith("no certificate", 0)).toEqual([]);
});
