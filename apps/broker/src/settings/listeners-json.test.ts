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
    [[{ ...good, tls: true }], "KAAS_LISTENERS[0].tls must be false: TLS is not served yet"],
    [[{ ...good, authentication: { type: "tls" } }], "KAAS_LISTENERS[0].authentication must be null"],
    [[{ ...good, type: "route" }], 'KAAS_LISTENERS[0].type must be "internal"'],
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
