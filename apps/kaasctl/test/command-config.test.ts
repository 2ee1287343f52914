import { beforeAll, describe, expect, test } from "vitest";
import { type Minted, type TestAuthority, testAuthority } from "../../../packages/kaas-core/test/fakes/certificates.js";
import { DEFAULT_SETTINGS } from "../src/client/client-settings.js";
import { readCommandConfig } from "../src/client/command-config.js";

const PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
const SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";

let authority: TestAuthority;
let alice: Minted;
/** As it is handed on: each block ends its line. */
let ca: string;
let chain: string;
let files: Map<string, string>;

beforeAll(async () => {
  authority = await testAuthority();
  alice = await authority.issue("CN=alice");
  ca = `${authority.certificate}\n`;
  chain = `${alice.certificate}\n`;
  files = new Map([
    ["/ca.pem", authority.certificate],
    ["/alice.pem", `${alice.certificate}\n${alice.key}`],
    ["/empty.pem", "nothing"],
  ]);
});

function read(text: string): ReturnType<typeof readCommandConfig> {
  const all = new Map([...files, ["/client.properties", text]]);
  return readCommandConfig("/client.properties", async (path) => {
    const content = all.get(path);
    if (content === undefined) throw new Error(`no such file: ${path}`);
    return content;
  });
}

/** A value of several lines, as properties files have it. */
const inline = (pem: string): string => pem.replaceAll("\n", "\\n");

describe("a file of Kafka's client configurations", () => {
  test("may be empty", async () => {
    expect(await read("# nothing\n")).toEqual(DEFAULT_SETTINGS);
  });

  test("says who logs in, over TLS, with what to trust in a file", async () => {
    const text = `security.protocol=SASL_SSL
      sasl.mechanism=SCRAM-SHA-512
      sasl.jaas.config=${SCRAM} required username="alice" password="a b\\\\"c";
      ssl.truststore.type=PEM
      ssl.truststore.location=/ca.pem
      client.id=me
      request.timeout.ms=500
      socket.connection.setup.timeout.ms=400`;
    expect(await read(text)).toEqual({
      tls: {
        trust: ca,
        identity: undefined,
        checksHost: true,
        versionMin: "TLSv1.2",
        versionMax: "TLSv1.3",
      },
      login: { mechanism: "SCRAM-SHA-512", user: "alice", password: 'a b"c' },
      clientId: "me",
      requestTimeoutMs: 500,
      connectTimeoutMs: 400,
    });
  });

  test("says what is shown to brokers, in a file or by itself", async () => {
    const identity = { certificates: chain, key: alice.key, password: undefined };
    const head = "security.protocol=SSL\nssl.keystore.type=PEM\nssl.endpoint.identification.algorithm=\n";
    const byFile = await read(`${head}ssl.keystore.location=/alice.pem`);
    expect(byFile.tls).toMatchObject({ identity, trust: undefined, checksHost: false });
    const { certificate, key } = alice;
    const byText = `ssl.keystore.certificate.chain=${inline(certificate)}\nssl.keystore.key=${inline(key)}\nssl.key.password=p`;
    expect((await read(`${head}${byText}`)).tls?.identity).toEqual({ ...identity, password: "p" });
    const trust = `ssl.truststore.type=pem\nssl.truststore.certificates=${inline(authority.certificate)}`;
    expect((await read(`security.protocol=SSL\n${trust}\nssl.enabled.protocols=TLSv1.3`)).tls).toMatchObject({
      trust: ca,
      versionMin: "TLSv1.3",
    });
    expect((await read("security.protocol=SSL\nssl.enabled.protocols=TLSv1.2")).tls?.versionMax).toBe("TLSv1.2");
  });

  test.for<[string, string]>([
    ["bootstrap.servers=a:1", "/client.properties:1: bootstrap.servers is not supported by kaasctl"],
    ["sasl.mechanisms=PLAIN", "did you mean sasl.mechanism?"],
    ["a=\\u12", "line 1: \\u needs four"],
    ["security.protocol=TLS", "security.protocol is TLS; it may be PLAINTEXT, SSL"],
    ["ssl.truststore.type=PEM", "ssl.truststore.type does nothing while security.protocol is PLAINTEXT, the default"],
    ["security.protocol=SSL\nsasl.mechanism=PLAIN", "sasl.mechanism does nothing while security.protocol is SSL"],
    ["security.protocol=SASL_SSL", "sasl.mechanism is GSSAPI, the default; kaasctl has PLAIN, SCRAM-SHA-256"],
    ["security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "sasl.jaas.config is missing"],
    [
      `security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=${SCRAM} required;`,
      `sasl.jaas.config must begin with ${PLAIN}`,
    ],
    [
      `security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=${PLAIN} required username="a";`,
      "sasl.jaas.config needs a username and a password",
    ],
    [
      `security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config=${SCRAM} required tokenauth="true";`,
      "sasl.jaas.config has tokenauth, which kaasctl does not support",
    ],
    ["request.timeout.ms=soon", "request.timeout.ms is soon; it has to be a whole number of milliseconds"],
    [
      "security.protocol=SSL\nssl.truststore.location=/ca.pem",
      "ssl.truststore.type is JKS, the default; kaasctl reads PEM",
    ],
    ["security.protocol=SSL\nssl.keystore.location=/x.p12\nssl.keystore.type=PKCS12", "ssl.keystore.type is PKCS12"],
    [
      "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=/none.pem",
      "ssl.truststore.location cannot be read: no such file: /none.pem",
    ],
    [
      "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=/empty.pem",
      "ssl.truststore.location has no certificate in PEM",
    ],
    [
      "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=/ca.pem\nssl.truststore.certificates=x",
      "ssl.truststore.certificates and ssl.truststore.location exclude each other",
    ],
    ["security.protocol=SSL\nssl.keystore.key=x", "ssl.keystore.key needs ssl.keystore.location"],
    ["security.protocol=SSL\nssl.key.password=x", "ssl.key.password needs ssl.keystore.location"],
    [
      "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=/alice.pem\nssl.keystore.key=x",
      "ssl.keystore.key and ssl.keystore.location exclude each other",
    ],
    [
      "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.certificate.chain=x",
      "ssl.keystore.certificate.chain needs ssl.keystore.key",
    ],
    [
      "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=/empty.pem",
      "ssl.keystore.location has no certificate in PEM",
    ],
    [
      "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=/ca.pem",
      "ssl.keystore.location has 0 private keys in PEM, not one",
    ],
    ["security.protocol=SSL\nssl.endpoint.identification.algorithm=x", "is x; it may be https, or empty"],
    ["security.protocol=SSL\nssl.enabled.protocols=TLSv1.1", "has TLSv1.1; kaasctl has TLSv1.2, TLSv1.3"],
  ])("%s is refused", async ([text, message]) => {
    const error: unknown = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "UsageError", message: expect.stringContaining(message) });
  });

  test("has to be there", async () => {
    const missing = readCommandConfig("/none", () => Promise.reject(new Error("ENOENT")));
    await expect(missing).rejects.toThrow("--command-config /none cannot be read: ENOENT");
  });

  test("is not quoted where it holds secrets", async () => {
    const text = `security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=${PLAIN} required password="hidden`;
    await expect(read(text)).rejects.toThrow(/^(?!.*hidden)/);
  });
});
