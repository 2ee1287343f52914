import { describe, expect, test } from "vitest";
import { configsOfListeners } from "./listeners-json.js";
import { UsageError } from "./usage-error.js";

const configs = (list: unknown): Record<string, string> =>
  Object.fromEntries(configsOfListeners(JSON.stringify(list)).map(({ name, value }) => [name, value]));

describe("KAAS_LISTENERS", () => {
  test("may be written like the config", () => {
    expect(configsOfListeners("PLAINTEXT://:9092")).toEqual([
      { name: "listeners", value: "PLAINTEXT://:9092", origin: "KAAS_LISTENERS" },
    ]);
  });

  test("or as a list of listeners, as Strimzi has it", () => {
    const list = [
      { name: "plain", port: 9092, type: "internal", tls: false },
      { name: "six", port: 9094, host: "::", advertisedHost: "kafka.example" },
      { name: "out", port: 0, host: "0.0.0.0", advertisedHost: "::1", advertisedPort: 30000, authentication: null },
    ];
    expect(configs(list)).toEqual({
      listeners: "PLAIN://127.0.0.1:9092,SIX://[::]:9094,OUT://0.0.0.0:0",
      "listener.security.protocol.map": "PLAIN:PLAINTEXT,SIX:PLAINTEXT,OUT:PLAINTEXT",
      "advertised.listeners": "SIX://kafka.example:9094,OUT://[::1]:30000",
    });
    expect(configs([{ name: "plain", port: 1 }])).not.toHaveProperty("advertised.listeners");
  });

  test("with TLS, passwords and certificates", () => {
    const list = [
      { name: "scram", port: 1, authentication: { type: "scram-sha-512" } },
      { name: "tls", port: 2, type: "loadbalancer", tls: true, authentication: { type: "tls" } },
      { name: "both", port: 3, tls: true, authentication: { type: "plain" } },
      { name: "secret", port: 4, tls: true },
    ];
    expect(configs(list)).toEqual({
      listeners: "SCRAM://127.0.0.1:1,TLS://127.0.0.1:2,BOTH://127.0.0.1:3,SECRET://127.0.0.1:4",
      "listener.security.protocol.map": "SCRAM:SASL_PLAINTEXT,TLS:SSL,BOTH:SASL_SSL,SECRET:SSL",
      "listener.name.scram.sasl.enabled.mechanisms": "SCRAM-SHA-512",
      "listener.name.tls.ssl.client.auth": "required",
      "listener.name.both.sasl.enabled.mechanisms": "PLAIN",
      "listener.name.both.ssl.client.auth": "none",
      "listener.name.secret.ssl.client.auth": "none",
    });
  });

  const good = { name: "plain", port: 9092 };
  test.each<[unknown, string]>([
    [[], "KAAS_LISTENERS must be a list of listeners"],
    [["x"], "KAAS_LISTENERS[0] must be an object"],
    [[good, null], "KAAS_LISTENERS[1] must be an object"],
    [[{ port: 1 }], "KAAS_LISTENERS[0].name is missing"],
    [[{ name: "a" }], "KAAS_LISTENERS[0].port is missing"],
    [[{ ...good, name: "a b" }], "KAAS_LISTENERS[0].name must be letters and digits"],
    [[{ ...good, port: 70000 }], "KAAS_LISTENERS[0].port must be 0 to 65535"],
    [[{ ...good, port: "9092" }], "KAAS_LISTENERS[0].port must be 0 to 65535"],
    [[{ ...good, host: "" }], "KAAS_LISTENERS[0].host must be a name or an address"],
    [[{ ...good, tls: "yes" }], "KAAS_LISTENERS[0].tls must be true or false"],
    [
      [{ ...good, authentication: { type: "tls" } }],
      "KAAS_LISTENERS[0].authentication of type tls needs tls to be true",
    ],
    [[{ ...good, authentication: { type: "oauth" } }], "KAAS_LISTENERS[0].authentication must be null, or"],
    [[{ ...good, authentication: { type: "plain", x: 1 } }], "KAAS_LISTENERS[0].authentication must be null, or"],
    [[{ ...good, authentication: "tls" }], "KAAS_LISTENERS[0].authentication must be null, or"],
    [[{ ...good, type: "route" }], "KAAS_LISTENERS[0].type must be one of internal, loadbalancer, nodeport, tlsroute"],
    [[{ ...good, advertisedPort: 1 }], "KAAS_LISTENERS[0].advertisedPort needs advertisedHost"],
    [[{ ...good, networkPolicyPeers: [] }], "KAAS_LISTENERS[0].networkPolicyPeers is not one of name, port"],
  ])("%j is refused", (list, message) => {
    const read = (): unknown => configsOfListeners(JSON.stringify(list));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });

  test("broken JSON is refused", () => {
    expect(() => configsOfListeners("[{")).toThrow("KAAS_LISTENERS is not JSON");
  });
});
