import { describe, expect, test } from "vitest";
import { clusterSettingsOf, healthSettingsOf } from "./cluster-settings.js";
import { parseCommandLine } from "./command-line.js";
import { settingsOf } from "./settings.js";
import { UsageError } from "./usage-error.js";

const TOKEN = "0123456789abcdef";
const pod = { MY_POD_NAME: "kaas-2", MY_POD_NAMESPACE: "prod", KAAS_PEERS_TOKEN: TOKEN, MY_POD_IP: "10.0.0.7" };

const readFile = (path: string): string => {
  if (path !== "/token") throw new Error("ENOENT");
  return `${TOKEN}fromfile\n`;
};

const settings = (environment: Record<string, string>) => clusterSettingsOf({ ...pod, ...environment }, readFile);

describe("a broker of a cluster", () => {
  test("is one where a pod has a name", () => {
    expect(clusterSettingsOf({}, readFile)).toBeUndefined();
    expect(settings({})).toEqual({
      identity: { name: "kaas-2", ordinal: 2, set: "kaas", namespace: "prod" },
      podUid: undefined,
      clusterName: "kaas",
      clusterDirectory: undefined,
      peers: { host: "0.0.0.0", port: 9_094, address: "10.0.0.7:9094", token: TOKEN },
      drainMs: 20_000,
    });
  });

  test("is told the rest by variables", () => {
    const given = settings({
      KAAS_CLUSTER_NAME: "orders",
      KAAS_CLUSTER_DIR: "/cluster",
      KAAS_PEERS_HOST: "::",
      KAAS_PEERS_PORT: "1",
      KAAS_PEERS_ADDRESS: "fe80::1",
      KAAS_PEERS_TOKEN: "",
      KAAS_PEERS_TOKEN_FILE: "/token",
      KAAS_DRAIN_SECONDS: "0",
      MY_POD_UID: "uid",
      MY_NODE_NAME: "node-1",
      KAAS_RACK_TOPOLOGY_KEY: "a/key",
    });
    expect(given).toMatchObject({
      podUid: "uid",
      nodeName: "node-1",
      rackTopologyKey: "a/key",
      clusterName: "orders",
      clusterDirectory: "/cluster",
      peers: { host: "::", port: 1, address: "[fe80::1]:1", token: `${TOKEN}fromfile` },
      drainMs: 0,
    });
    const named = settings({ MY_POD_IP: "", KAAS_PEERS_SERVICE: "kaas-brokers" });
    expect(named?.peers.address).toBe("kaas-2.kaas-brokers.prod.svc:9094");
    const zone = "topology.kubernetes.io/zone";
    expect(settings({ KAAS_PEERS_SERVICE: "kaas-brokers", KAAS_RACK_TOPOLOGY_KEY: zone })).toMatchObject({
      service: "kaas-brokers",
      rackTopologyKey: zone,
      nodeName: undefined,
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ MY_POD_NAME: "kaas" }, "MY_POD_NAME"],
    [{ MY_POD_NAMESPACE: "" }, "MY_POD_NAMESPACE is missing"],
    [{ MY_POD_IP: "" }, "KAAS_PEERS_ADDRESS, MY_POD_IP or KAAS_PEERS_SERVICE"],
    [{ KAAS_PEERS_TOKEN: "" }, "KAAS_PEERS_TOKEN_FILE is missing"],
    [{ KAAS_RACK_TOPOLOGY_KEY: "topology.kubernetes.io/zone" }, "zone needs MY_NODE_NAME"],
    [{ KAAS_RACK_TOPOLOGY_KEY: "a/key", KAAS_PEERS_SERVICE: "s" }, "a/key needs MY_NODE_NAME"],
    [{ KAAS_PEERS_TOKEN: "short" }, "KAAS_PEERS_TOKEN: a token has at least 16 characters"],
    [{ KAAS_PEERS_TOKEN: "0123456789abcdef\nshort" }, "KAAS_PEERS_TOKEN: a token has at least 16 characters"],
    [
      { KAAS_PEERS_TOKEN: "0123456789abcdéf" },
      "KAAS_PEERS_TOKEN: a token has at least 16 characters, all of them printable",
    ],
    [{ KAAS_PEERS_TOKEN_FILE: "/token" }, "exclude each other"],
    [{ KAAS_PEERS_TOKEN: "", KAAS_PEERS_TOKEN_FILE: "/no" }, "KAAS_PEERS_TOKEN_FILE /no cannot be read: ENOENT"],
    [{ KAAS_PEERS_PORT: "0" }, "KAAS_PEERS_PORT: 0 is not a number from 1 to 65535"],
    [{ KAAS_DRAIN_SECONDS: "1s" }, "KAAS_DRAIN_SECONDS: 1s is not a number from 0 to 3600"],
  ])("%j is refused", (environment, message) => {
    expect(() => settings(environment)).toThrow(UsageError);
    expect(() => settings(environment)).toThrow(message);
  });

  test("has the number of its pod as its node id, and a volume", () => {
    const of = (args: string[], environment: Record<string, string> = {}) =>
      settingsOf({ commandLine: parseCommandLine(args), environment: { ...pod, ...environment }, readFile });
    expect(of([]).config.nodeId).toBe(2);
    expect(of(["--override", "node.id=2"]).config.nodeId).toBe(2);
    expect(() => of(["--override", "node.id=3"])).toThrow("node.id=3: that of the pod kaas-2 is 2; leave it out");
    expect(() => of(["--memory"])).toThrow("--memory and MY_POD_NAME exclude each other");
  });
});

describe("probes and metrics", () => {
  test("are answered in a cluster, and elsewhere where a port is set", () => {
    expect(healthSettingsOf({}, false)).toBeUndefined();
    expect(healthSettingsOf({}, true)).toEqual({ host: "0.0.0.0", port: 8_080 });
    expect(healthSettingsOf({ KAAS_HEALTH_PORT: "off" }, true)).toBeUndefined();
    expect(healthSettingsOf({ KAAS_HEALTH_PORT: "0" }, false)).toEqual({ host: "127.0.0.1", port: 0 });
    expect(healthSettingsOf({ KAAS_HEALTH_HOST: "::1" }, true)).toEqual({ host: "::1", port: 8_080 });
    expect(() => healthSettingsOf({ KAAS_HEALTH_PORT: "70000" }, false)).toThrow("KAAS_HEALTH_PORT: 70000");
  });
});
