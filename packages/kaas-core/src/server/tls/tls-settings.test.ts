import { describe, expect, test } from "vitest";
import { BrokerConfig } from "../../config/broker-config.js";
import { ListenerConfig } from "../../config/listener-config.js";
import { KaasError } from "../../errors/kaas-error.js";
import { openSslCipher } from "./cipher-suites.js";
import { certificatesOf, privateKeysOf } from "./pem.js";
import { type TlsSettings, tlsSettingsOf } from "./tls-settings.js";

const settings = (config: Record<string, string>, isSasl = false): TlsSettings =>
  tlsSettingsOf(new ListenerConfig(new BrokerConfig(config), "Ext"), isSasl);

const PEM = { "ssl.keystore.type": "PEM", "ssl.keystore.location": "/k.pem" };
const TRUST = { "ssl.truststore.type": "PEM", "ssl.truststore.location": "/t.pem" };

describe("what a listener is told about TLS", () => {
  test("the least", () => {
    expect(settings(PEM)).toMatchObject({
      key: { kind: "pem", certificates: { path: "/k.pem" }, key: { path: "/k.pem" }, password: undefined },
      trust: undefined,
      clientAuth: "none",
      versionMin: "TLSv1.2",
      versionMax: "TLSv1.3",
      ciphers: undefined,
    });
  });

  test("a listener's own settings come before those of all", () => {
    const all = { ...PEM, ...TRUST, "ssl.client.auth": "required", "ssl.cipher.suites": "TLS_AES_128_GCM_SHA256" };
    const own = {
      "listener.name.ext.ssl.keystore.location": "/own.pem",
      "listener.name.ext.ssl.key.password": "p",
      "listener.name.ext.ssl.client.auth": "requested",
      "listener.name.ext.ssl.enabled.protocols": "TLSv1.3",
      "listener.name.ext.ssl.cipher.suites": "TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
      "listener.name.other.ssl.client.auth": "none",
    };
    expect(settings({ ...all, ...own })).toMatchObject({
      key: { certificates: { path: "/own.pem" }, password: "p" },
      trust: { path: "/t.pem" },
      clientAuth: "requested",
      versionMin: "TLSv1.3",
      versionMax: "TLSv1.3",
      ciphers: "TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES128-GCM-SHA256",
    });
  });

  test("where clients log in, certificates are asked for by the listener's own setting alone (KIP-684)", () => {
    const config = { ...PEM, ...TRUST, "ssl.client.auth": "required" };
    expect(settings(config, true)).toMatchObject({ clientAuth: "none", trust: undefined });
    expect(settings({ ...config, "listener.name.ext.ssl.client.auth": "required" }, true).clientAuth).toBe("required");
  });

  test.each<[Record<string, string>, RegExp]>([
    [{}, /has no certificate/],
    [{ "ssl.keystore.location": "/k.jks" }, /keystore of type JKS, which cannot be read; make PEM of it/],
    [{ "ssl.keystore.key": "k", "ssl.keystore.certificate.chain": "c" }, /need ssl.keystore.type=PEM/],
    [{ "ssl.keystore.type": "PEM", "ssl.keystore.key": "k" }, /needs both/],
    [{ ...PEM, "ssl.keystore.key": "k" }, /has both ssl.keystore.location and/],
    [{ ...PEM, "ssl.client.auth": "required" }, /no authorities/],
    [{ ...PEM, ...TRUST, "ssl.truststore.type": "JKS", "ssl.client.auth": "required" }, /truststore of type JKS/],
    [{ ...PEM, ...TRUST, "ssl.truststore.certificates": "x", "ssl.client.auth": "required" }, /has both/],
    [{ ...PEM, ...TRUST, "ssl.keystore.type": "PKCS12", "ssl.client.auth": "required" }, /PKCS12 keystore cannot/],
    [{ ...PEM, "ssl.enabled.protocols": "TLSv1.1,TLSv1.2" }, /TLSv1.2 and TLSv1.3 can be had/],
    [{ ...PEM, "ssl.cipher.suites": "TLS_NO_SUCH" }, /TLS_NO_SUCH, which OpenSSL does not have/],
    [{ ...PEM, "ssl.principal.mapping.rules": "RULE:x" }, /ssl.principal.mapping.rules/],
  ])("%j is refused", (config, message) => {
    expect(() => settings(config)).toThrow(KaasError);
    expect(() => settings(config)).toThrow(message);
  });
});

test.each([
  ["TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", "DHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "ECDHE-RSA-AES256-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
  ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_RSA_WITH_NULL_SHA", undefined],
])("%s is %s", (name, cipher) => {
  expect(openSslCipher(name)).toBe(cipher);
});

test("PEM is found among other text, and its lines put right", () => {
  const body = "QUJD".repeat(40);
  const certificate = `-----BEGIN CERTIFICATE----- ${body} -----END CERTIFICATE-----`;
  const text = `Bag Attributes\n ${certificate}\nx\n-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----${certificate}`;
  const found = certificatesOf(text);
  expect(found.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(Math.max(...found.split("\n").map((line) => line.length))).toBe(64);
  expect(found.replace(/-----[^-]+-----|\n/g, "")).toBe(body + body);
  expect(privateKeysOf(text)).toEqual(["-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n"]);
  expect(
    privateKeysOf("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nQUJD\n-----END RSA PRIVATE KEY-----"),
  ).toHaveLength(1);
  expect(certificatesOf("nothing")).toBe("");
});
