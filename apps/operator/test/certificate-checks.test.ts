import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KafkaCluster } from "@kaas/operator-api";
import { expect, test } from "vitest";
import { testAuthority } from "../../../packages/kaas-core/test/fakes/certificates.js";
import { noteCertificate } from "../src/clusters/certificate-checks.js";
import type { ClusterRun } from "../src/clusters/cluster-run.js";

/** What is waited for with a certificate, and maybe a key, in the Secret of one's own. */
function pendingWith(certificate: string, nowMs: number, key = "key"): readonly string[] {
  const listeners = [{ name: "safe", port: 9093, type: "internal", tls: true }];
  const object = {
    metadata: { name: "kaas" },
    spec: { certificateSecret: "mine", listeners },
  } as unknown as KafkaCluster;
  const run: ClusterRun = { object, refused: new Map(), pending: [] };
  const inBase64 = (text: string): string => Buffer.from(text).toString("base64");
  const data = { "tls.crt": inBase64(certificate), "tls.key": inBase64(key) };
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

test("a key that belongs to another certificate is told, and one that cannot be read is not", async () => {
  const authority = await testAuthority();
  const [mine, another] = [await authority.issue("CN=kaas"), await authority.issue("CN=another")];
  const nowMs = Date.parse(new X509Certificate(mine.certificate).validFrom);
  expect(pendingWith(mine.certificate, nowMs, mine.key)).toEqual([]);
  expect(pendingWith(mine.certificate, nowMs, another.key)).toEqual([
    "the key in Secret mine does not belong to its certificate: brokers do not start with them, and those that run keep what they have; put both there anew",
  ]);
  const locked = createPrivateKey(another.key).export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "secret",
  });
  expect(pendingWith(mine.certificate, nowMs, locked.toString())).toEqual([]);
});

test("what nobody can read is left to brokers to judge", () => {
  expect(pendingWith("no certificate", 0)).toEqual([]);
});
